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
  const input = el("input", { class: "input mono", name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false" });
  const code = field(t("signIn.code"), input, { hint: t("signIn.codeHint") });
  const username = usernameField();
  const chosen = newPassword(t("signIn.password"), () => username.input.value);
  const form = sendingForm({
    label: t("signIn.create"),
    content: [code.node, username.node, ...chosen.nodes],
    async send() {
      if (!areFilled(code, username) || !chosen.isGood()) return;
      await setUp({ code: input.value, username: username.input.value, password: chosen.password.input.value });
    },
    explain(error) {
      const refused = error instanceof Problem ? error.code : "";
      if (refused === "already_set_up") goToSignIn("alreadySetUp");
      if (refused !== "wrong_setup_code") return showFaults({ code, username, password: chosen.password }, error);
      code.showFault(t("signIn.wrongCode"));
      input.select();
      return null;
    },
  });
  return mountFront(parent, { title: t("signIn.setup"), intro: t("signIn.setupIntro"), form });
}
