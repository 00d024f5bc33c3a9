/** The page that makes the account, for whoever can read the server's log. */

import { goToSignIn, setUp } from "../actions/session.js";
import { Problem } from "../lib/api.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { areFilled, field, showFaults } from "./field.js";
import { mountFront, sendingForm } from "./front.js";
import { newPassword } from "./password_field.js";
import { usernameField } from "./sign_in.js";

/**
 * @param {HTMLElement} parent
 * @returns {() => void} Takes it away.
 */
export function mountSetup(parent) {
  const own = { class: "input mono", name: "code", autocomplete: "off", autocapitalize: "characters" };
  const input = el("input", { ...own, spellcheck: "false" });
  const code = field(t("signIn.code"), input, { hint: t("signIn.codeHint") });
  const username = usernameField();
  const chosen = newPassword(t("signIn.password"), () => username.input.value);
  const form = sendingForm({
    label: t("signIn.create"),
    content: [code.node, username.node, ...chosen.nodes],
    async send() {
      if (!areFilled(code, username) || !chosen.isGood()) return;
      const account = { username: username.input.value, password: chosen.password.input.value };
      await setUp({ code: input.value, ...account });
    },
    explain(error) {
      const refused = error instanceof Problem ? error.code : "";
      if (refused === "already_set_up") goToSignIn("alreadySetUp");
      const fields = { code, username, password: chosen.password };
      if (refused !== "wrong_setup_code") return showFaults(fields, error);
      code.showFault(t("signIn.wrongCode"));
      input.select();
      return null;
    },
  });
  return mountFront(parent, { title: t("signIn.setup"), intro: t("signIn.setupIntro"), form });
}
