/** The sheet that tells the keys of the page. */

import { openDialog } from "../lib/dialog.js";
import { el } from "../lib/dom.js";
import { t } from "../lib/i18n.js";

/** Opens the help sheet. */
export function openHelp() {
  openDialog({ title: t("topbar.help"), class: "shortcuts", content: [sheet()] });
}

function sheet() {
  const rows = [
    [["j", "k"], t("shortcuts.next")],
    [["Enter"], t("shortcuts.enter")],
    [["o"], t("shortcuts.open")],
    [["Esc", "u"], t("reader.back")],
    [["/"], t("threads.search")],
    [["r"], t("shortcuts.refresh")],
    [["1", "2", "3", "g t", "g l", "g k"], t("shortcuts.tabs")],
    [["?"], t("shortcuts.help")],
  ];
  return el("dl", { class: "keys-sheet" }, ...rows.flatMap(([keys, what]) => [
    el("dt", {}, .../** @type {string[]} */ (keys).map((key) => el("kbd", {}, key))),
    el("dd", {}, /** @type {string} */ (what)),
  ]));
}
