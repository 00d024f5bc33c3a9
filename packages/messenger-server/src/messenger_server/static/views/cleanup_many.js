/** The clean-up by criterion: a preview, then what is ticked of it goes, or nothing at all. */

import { previewCleanup, purgeMailboxes } from "../actions/cleanup.js";
import { notify } from "../actions/notices.js";
import { Problem } from "../lib/api.js";
import { twoStepButton } from "../lib/buttons.js";
import { openDialog } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { number, plural, t } from "../lib/i18n.js";
import { announce } from "../lib/live.js";
import { copiesIn, PURGE_MOST } from "../model/cleanup.js";
import { partyLabel } from "../model/names.js";
import { criteriaForm } from "./cleanup_criteria.js";
import { cleanupList } from "./cleanup_list.js";
import { button, goesNote, refusal, setBusy, showResult } from "./cleanup_parts.js";
import { emptyState, errorState, errorText, loadingState } from "./states.js";

/**
 * @typedef {import("../model/cleanup.js").Row} Row
 * @typedef {{dialog: import("./cleanup_parts.js").Dialog, form: ReturnType<typeof criteriaForm>,
 *   found: HTMLElement, asked: import("../model/cleanup.js").Asked | null,
 *   list: ReturnType<typeof cleanupList> | null}} Window `asked` is what the list was read by.
 */

/** Opens the window. */
export function openCleanupByCriterion() {
  const form = criteriaForm({ onChange: () => begin(view), onAsk: () => void preview(view) });
  const found = el("div", {});
  const content = [form.node, goesNote(), found];
  const dialog = openDialog({ title: t("cleanup.title"), class: "cleanup-many", content });
  /** @type {Window} */
  const view = { dialog, form, found, asked: null, list: null };
  begin(view);
  form.node.querySelector("input")?.focus();
}

/**
 * The first step: nothing is shown, hence nothing can be confirmed.
 *
 * @param {Window} view @param {...Node} shown
 */
function begin(view, ...shown) {
  view.asked = null;
  view.found.replaceChildren(...shown);
  const ask = button(t("cleanup.preview"), () => void preview(view), "button primary");
  view.dialog.footer.replaceChildren(ask);
}

/** @param {Window} view */
async function preview(view) {
  const asked = view.form.read();
  if (!asked) return;
  begin(view, loadingState(4));
  view.asked = asked;
  try {
    const rows = await previewCleanup(asked);
    if (view.asked === asked) show(view, rows);
  } catch (error) {
    if (view.asked !== asked) return; // another criterion was chosen meanwhile
    const [fault] = error instanceof Problem ? error.errors : [];
    begin(view, ...(fault ? [] : [errorState(error, () => void preview(view))]));
    if (fault) view.form.showFault(fault.message);
  }
}

/** @param {Window} view @param {Row[]} rows */
function show(view, rows) {
  announce(plural("cleanup.found", rows.length));
  if (rows.length === 0) {
    begin(view, emptyState({ icon: "check", title: t("cleanup.none") }));
    return;
  }
  view.list = cleanupList(rows, () => offer(view));
  view.found.replaceChildren(view.list.node);
  offer(view);
}

/**
 * The second step. It is built anew at each tick: what was confirmed was another list.
 *
 * @param {Window} view @param {...Node} refused
 */
function offer(view, ...refused) {
  const rows = view.list?.ticked() ?? [];
  const count = rows.length;
  const mailboxes = plural("cleanup.mailboxes", count);
  const confirm = twoStepButton({
    label: t("cleanup.delete", { mailboxes }),
    confirm: t("cleanup.confirm", { mailboxes }),
    onConfirm: () => void purge(view, rows),
  });
  confirm.disabled = count === 0 || count > PURGE_MOST;
  const told = count > PURGE_MOST
    ? t("cleanup.tooMany", { most: number(PURGE_MOST) })
    : plural("cleanup.messages", copiesIn(rows));
  const again = button(t("cleanup.again"), () => void preview(view), "button quiet");
  view.dialog.footer.replaceChildren(...refused, el("span", { class: "told soft" }, told), again, confirm);
}

/** @param {Window} view @param {Row[]} rows Exactly what was shown and ticked. */
async function purge(view, rows) {
  const { asked, dialog } = view;
  setBusy(dialog, true);
  try {
    const done = await purgeMailboxes(asked, rows.map((row) => row.id));
    const text = t("cleanup.done", {
      mailboxes: plural("cleanup.mailboxes", done.deleted),
      messages: plural("cleanup.messages", done.messages_deleted),
      threads: plural("cleanup.threads", done.threads_deleted),
    });
    if (dialog.node.open) showResult(dialog, text, button(t("cleanup.more"), () => startOver(dialog)));
    else notify("done", text);
  } catch (error) {
    if (dialog.node.open) await refuse(view, rows, error);
    else notify("error", errorText(error));
  }
  setBusy(dialog, false);
}

/**
 * Says which ones stopped the clean-up, by asking again.
 *
 * @param {Window} view @param {Row[]} rows @param {unknown} error
 */
async function refuse(view, rows, error) {
  let changed = [];
  if (error instanceof Problem && [404, 409].includes(error.status)) {
    const still = await previewCleanup(view.asked).catch(() => rows);
    const met = new Set(still.map((row) => row.id));
    changed = rows.filter((row) => !met.has(row.id));
  }
  view.list.mark(changed);
  if (changed.length === 0) {
    offer(view, refusal(t("cleanup.refused", { why: errorText(error) })));
    return;
  }
  const untick = button(t("cleanup.untick"), () => view.list.untick(changed));
  offer(view, refusal(t("cleanup.noLongerMet", { names: names(changed, rows) }), untick));
  setBusy(view.dialog, false);
  untick.focus();
}

const NAMED_MOST = 5;

/** @param {Row[]} some @param {Row[]} all */
function names(some, all) {
  const labels = some.slice(0, NAMED_MOST).map((row) => partyLabel(row, all));
  return labels.join(", ") + (some.length > NAMED_MOST ? "…" : "");
}

/** @param {import("./cleanup_parts.js").Dialog} dialog */
function startOver(dialog) {
  dialog.close();
  openCleanupByCriterion();
}
