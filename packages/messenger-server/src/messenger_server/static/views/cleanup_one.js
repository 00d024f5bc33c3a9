/** The clean-up of one mailbox: what it holds, then two clicks. */

import { deleteMailbox } from "../actions/cleanup.js";
import { notify } from "../actions/notices.js";
import { refresh } from "../actions/refresh.js";
import { Problem } from "../lib/api.js";
import { twoStepButton } from "../lib/buttons.js";
import { timeNode } from "../lib/dates.js";
import { openDialog } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { number, plural, t } from "../lib/i18n.js";
import { agentLabel, partyLabel } from "../model/names.js";
import { store } from "../store.js";
import { avatar } from "./avatar.js";
import { addressNode, factList, goesNote, refusal, setBusy, showResult } from "./cleanup_parts.js";
import { errorText } from "./states.js";

/** @typedef {import("./cleanup_parts.js").Dialog} Dialog */

/** Opens the window. @param {string} address */
export function openCleanupOfOne(address) {
  show(openDialog({ title: t("cleanup.titleOne"), content: [] }), address);
}

/**
 * Shows the mailbox as the overview has it now: that is what the person agrees to delete.
 *
 * @param {Dialog} dialog @param {string} address @param {...Node} refused
 */
function show(dialog, address, ...refused) {
  const all = (store.state.overview.document?.agents ?? []).flatMap((agent) => agent.mailboxes);
  const mailbox = all.find((each) => each.id === address);
  if (!mailbox) {
    showResult(dialog, t("cleanup.gone", { name: address }));
    return;
  }
  const confirm = twoStepButton({
    label: t("cleanup.deleteOne"),
    confirm: t("cleanup.confirm", { mailboxes: plural("cleanup.mailboxes", 1) }),
    onConfirm: () => void remove(dialog, mailbox, mailbox.display_name || partyLabel(mailbox, all)),
  });
  dialog.body.replaceChildren(...contents(mailbox), goesNote());
  dialog.footer.replaceChildren(...refused, confirm);
}

/** @param {any} mailbox Of the overview. */
function contents(mailbox) {
  const { agent_name: agent, display_name: name, last_activity_at: active } = mailbox;
  const own = agent && name && el("p", { class: "breaks own-direction soft" }, name);
  const label = el("strong", { class: "breaks own-direction" }, agentLabel(mailbox));
  return [
    el(
      "div",
      { class: "cleanup-one" },
      avatar(mailbox, { isOutlined: mailbox.last_seen_at === null }),
      el("div", {}, label, own, addressNode(mailbox.id)),
    ),
    factList([
      [t("cleanup.received"), number(mailbox.received)],
      [t("cleanup.sent"), number(mailbox.sent)],
      [t("cleanup.made"), timeNode(mailbox.created_at)],
      [t("cleanup.active"), active ? timeNode(active) : t("cleanup.neverActive")],
    ]),
    ...(mailbox.watcher.armed ? [refusal(t("cleanup.armed"))] : []),
  ];
}

const NEWER = "criterion_no_longer_met";

/** @param {Dialog} dialog @param {any} mailbox As it was shown. @param {string} name */
async function remove(dialog, mailbox, name) {
  const isOpen = () => dialog.node.open;
  const tell = (text) => (isOpen() ? showResult(dialog, text) : notify("done", text));
  setBusy(dialog, true);
  try {
    await deleteMailbox(mailbox);
    const messages = plural("cleanup.messages", mailbox.sent + mailbox.received);
    tell(t("cleanup.doneOne", { name, messages }));
  } catch (error) {
    const code = error instanceof Problem ? error.code : "";
    if (code) await refresh();
    const text = code === NEWER ? t("cleanup.newer") : t("cleanup.refused", { why: errorText(error) });
    if (code === "mailbox_not_found") tell(t("cleanup.gone", { name }));
    else if (isOpen()) show(dialog, mailbox.id, refusal(text));
    else notify("error", text);
  }
  setBusy(dialog, false);
}
