/** The account menu: my account, language, appearance, sign out. */

import { switchLanguage } from "../actions/language.js";
import { navigate } from "../actions/navigation.js";
import { notify } from "../actions/notices.js";
import { signOut } from "../actions/session.js";
import { iconButton } from "../lib/buttons.js";
import { el, setAttribute, setHidden } from "../lib/dom.js";
import { LANGUAGE_NAMES, language, t } from "../lib/i18n.js";
import { appearance, APPEARANCES, setAppearance } from "../lib/appearance.js";
import { store } from "../store.js";
import { errorText } from "./states.js";

/** @returns {{node: HTMLElement, stop: () => void}} The button with its menu. */
export function accountMenu() {
  const label = t("topbar.accountMenu");
  const list = el("div", { class: "menu", role: "menu", "aria-label": label, hidden: true });
  const own = { id: "account-menu", "aria-haspopup": "menu", "aria-expanded": "false" };
  const button = iconButton("user", label, () => (isOpen() ? close() : open()), own);
  const node = el("div", { class: "menu-anchor" }, button, list);
  const isOpen = () => !list.hidden;
  const close = () => {
    if (list.contains(document.activeElement)) button.focus();
    setHidden(list, true);
    setAttribute(button, "aria-expanded", "false");
  };
  const open = () => {
    list.replaceChildren(...items(close));
    setHidden(list, false);
    setAttribute(button, "aria-expanded", "true");
    list.querySelector("button").focus();
  };
  node.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    if (event.relatedTarget instanceof Node && !node.contains(event.relatedTarget)) close();
  });
  node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (!isOpen()) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (move(list, event.key)) {
      event.preventDefault();
    }
  });
  const clickAway = (/** @type {PointerEvent} */ event) => {
    if (isOpen() && event.target instanceof Node && !node.contains(event.target)) close();
  };
  document.addEventListener("pointerdown", clickAway);
  return { node, stop: () => document.removeEventListener("pointerdown", clickAway) };
}

/** @param {() => void} close */
function items(close) {
  const item = (/** @type {string} */ text, /** @type {() => void} */ run, more = {}) => {
    const own = { type: "button", class: "menu-item", role: "menuitem", tabindex: "-1", ...more };
    return el("button", { ...own, on: { click: () => void (close(), run()) } }, text);
  };
  const choice = (/** @type {string} */ text, /** @type {boolean} */ isOn, /** @type {() => void} */ run) => {
    return item(text, run, { role: "menuitemradio", "aria-checked": isOn ? "true" : "false" });
  };
  const group = (/** @type {string} */ label, /** @type {Node[]} */ nodes) => el(
    "div",
    { class: "menu-group", role: "group", "aria-label": label },
    el("div", { class: "menu-label", "aria-hidden": "true" }, label),
    ...nodes,
  );
  const names = [t("topbar.appearanceAuto"), t("topbar.appearanceLight"), t("topbar.appearanceDark")];
  const languages = Object.entries(LANGUAGE_NAMES).map(([tag, name]) => {
    return choice(name, tag === language(), () => void switchLanguage(tag));
  });
  const looks = APPEARANCES.map((look, at) => {
    return choice(names[at], look === appearance(), () => setAppearance(look));
  });
  return [
    el("div", { class: "menu-label breaks", dir: "auto", "aria-hidden": "true" }, store.state.session.username),
    item(t("topbar.myAccount"), () => navigate({ tab: "account" })),
    group(t("topbar.language"), languages),
    group(t("topbar.appearance"), looks),
    item(t("topbar.signOut"), leave),
  ];
}

async function leave() {
  try {
    await signOut();
  } catch (error) {
    notify("error", errorText(error));
  }
}

/** Moves the focus along the items; gives whether the key was for that. */
function move(/** @type {HTMLElement} */ list, /** @type {string} */ key) {
  const all = [...list.querySelectorAll("button")];
  const at = all.findIndex((button) => button === document.activeElement);
  const [next, before, last] = [(at + 1) % all.length, (at - 1 + all.length) % all.length, all.length - 1];
  const to = { ArrowDown: next, ArrowUp: before, Home: 0, End: last }[key];
  if (to === undefined) return false;
  all[to].focus();
  return true;
}
