/** The window that shows a secret, once: it closes by its button alone, and asks if nothing was copied. */

import { copyButton } from "../lib/buttons.js";
import { openDialog } from "../lib/dialog.js";
import { el, setAttribute } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { mcpFile, setupCommand } from "../model/keys.js";
import { button, refusal } from "./cleanup_parts.js";

/**
 * @param {{key: import("../model/keys.js").Key, secret: string}} made
 * @param {boolean} [isReplacement]
 */
export function openSecret({ key, secret }, isReplacement = false) {
  let isCopied = false;
  const { origin } = location;
  const isBound = key.agent_name !== null;
  const note = () => void (isCopied = true);
  const block = (/** @type {string} */ label, /** @type {string} */ text, hint = "") => {
    const copy = copyButton(() => text, label);
    copy.addEventListener("click", note);
    return el(
      "section",
      {},
      el("h3", {}, label),
      el("p", { class: "field-hint" }, hint),
      el("div", { class: "secret-text", on: { copy: note } }, el("pre", { class: "mono" }, text), copy),
    );
  };
  const leave = () => (isCopied ? dialog.close() : ask(dialog, close));
  const close = button(t("common.close"), leave, "button primary");
  const values = { name: key.name };
  const dialog = openDialog({
    title: isReplacement ? t("keys.secretReplaced", values) : t("keys.secretTitle", values),
    class: "secret",
    content: [
      refusal(t("keys.warnOnce")),
      refusal(t("keys.warnLeak")),
      block(t("keys.secret"), secret),
      block(t("keys.command"), setupCommand(origin, secret, isReplacement), t("keys.commandHint")),
      block(".mcp.json", mcpFile(origin, secret, isBound), isBound ? "" : t("keys.fillIn")),
    ],
    footer: [close],
    mayClose: () => false,
    onClose: () => document.removeEventListener("keydown", keepOpen, true),
  });
  document.addEventListener("keydown", keepOpen, true);
  setAttribute(dialog.node, "closedby", "none");
  dialog.node.querySelector(".dialog-header button").remove();
  close.focus();
}

/**
 * Browsers without `closedby` close a window at the second Escape, whatever it answers.
 *
 * @param {KeyboardEvent} event
 */
function keepOpen(event) {
  if (event.key === "Escape") event.preventDefault();
}

/** @param {import("./cleanup_parts.js").Dialog} dialog @param {HTMLElement} close */
function ask(dialog, close) {
  const stay = button(t("keys.stay"), () => {
    dialog.footer.replaceChildren(close);
    close.focus();
  });
  const anyway = button(t("keys.closeAnyway"), dialog.close, "button danger");
  dialog.footer.replaceChildren(refusal(t("keys.notCopied")), anyway, stay);
  stay.focus();
}
