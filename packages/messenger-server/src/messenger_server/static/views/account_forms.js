/** The account's name and password. */

import { changePassword, renameAccount } from "../actions/account.js";
import { notify } from "../actions/notices.js";
import { Problem } from "../lib/api.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { store } from "../store.js";
import { areFilled, showFaults } from "./field.js";
import { sendingForm } from "./front.js";
import { newPassword, passwordField } from "./password_field.js";
import { usernameField } from "./sign_in.js";

/** @returns {{node: HTMLElement, stop: () => void}} */
export function nameForm() {
  const name = usernameField();
  const form = sendingForm({
    label: t("account.rename"),
    content: [name.node],
    class: "account-form",
    async send() {
      if (!areFilled(name)) return;
      await renameAccount(name.input.value);
      notify("done", t("account.renamed", { name: name.input.value }));
    },
    explain: (error) => showFaults({ username: name }, error),
  });
  let known = "";
  const stop = store.watch(["account"], () => {
    const username = store.state.account.document?.username ?? "";
    // What is being typed stays.
    if (name.input.value === known) name.input.value = username;
    known = username;
  });
  return { node: section(t("account.name"), form), stop };
}

export function passwordForm() {
  const current = passwordField(t("account.currentPassword"), "current-password");
  const username = () => store.state.session.username ?? "";
  const chosen = newPassword(t("account.newPassword"), username);
  // For password managers, which ask whose password it is.
  const whose = el("input", { name: "username", autocomplete: "username", hidden: true });
  const form = sendingForm({
    label: t("account.changePassword"),
    content: [el("p", { class: "soft" }, t("account.passwordHint")), whose, current.node, ...chosen.nodes],
    class: "account-form",
    async send() {
      whose.value = username();
      if (!areFilled(current) || !chosen.isGood()) return;
      await changePassword({
        current_password: current.input.value,
        new_password: chosen.password.input.value,
      });
      current.input.value = "";
      chosen.clear();
      notify("done", t("account.passwordChanged"));
    },
    explain(error) {
      const isWrong = error instanceof Problem && error.code === "wrong_password";
      if (!isWrong) return showFaults({ new_password: chosen.password }, error);
      current.showFault(t("account.wrongPassword"));
      current.input.select();
      return null;
    },
  });
  return section(t("account.password"), form);
}

/** A part of the view, under its heading. @param {string} title @param {...Node} content */
export function section(title, ...content) {
  return el("section", { class: "account-part", "aria-label": title }, el("h2", {}, title), ...content);
}
