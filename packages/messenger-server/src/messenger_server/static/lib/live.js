/** The one polite live region: what changed, said to those who do not see it. */

import { el, setText } from "./dom.js";

const region = el("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });

/** Says a sentence once. @param {string} text */
export function announce(text) {
  const host = document.querySelector("dialog[open]") ?? document.body;
  if (region.parentNode !== host) host.append(region);
  setText(region, "");
  requestAnimationFrame(() => setText(region, text));
}
