/** Avatars: of agents, with stable colours and readable initials. */

import { el } from "../lib/dom.js";
import { agentLabel, colourOf, initials } from "../model/names.js";

/**
 * The avatar of the agent that a party belongs to. It says nothing by itself: the name stands beside
 * it, or `title` is its tooltip and name.
 *
 * @param {import("../model/names.js").Party} party
 * @param {{size?: "small" | "usual" | "large", isOutlined?: boolean, title?: string}} [how]
 *   `isOutlined`: it never connected.
 */
export function avatar(party, { size = "usual", isOutlined = false, title } = {}) {
  const name = agentLabel(party);
  const look = `avatar avatar-${size} colour-${colourOf(name)}${isOutlined ? " is-outlined" : ""}`;
  const said = title ? { role: "img", "aria-label": title, title } : { "aria-hidden": "true" };
  return el("span", { class: look, ...said }, initials(name));
}
