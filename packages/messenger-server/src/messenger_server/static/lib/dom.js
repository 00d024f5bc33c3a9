/**
 * Nodes: built and changed, never parsed. Every write happens only where something differs, so that
 * a refresh that changes nothing does no work in the page.
 */

/**
 * A new element. Properties that are `null`, `undefined` or `false` are left out.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties] `on` maps events to listeners, `data` to `data-…`
 *   attributes, `vars` to custom properties of its style; `class`, and any other attribute by its
 *   name (`true` is the empty attribute); `value`, `checked`, `disabled` and the like are set as
 *   the property.
 * @param {...(Node | string | null | undefined | false)} children Texts stay texts.
 * @returns {any} The element (typed loosely: the tag says which).
 */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) setProperty(node, name, value);
  node.append(...children.filter((child) => child || child === ""));
  return node;
}

const LIVE = new Set(["value", "checked", "disabled", "hidden", "selected", "indeterminate"]);

/** @param {any} node @param {string} name @param {any} value */
function setProperty(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
  } else if (name === "data") {
    Object.assign(node.dataset, value);
  } else if (name === "vars") {
    for (const [key, text] of Object.entries(value)) setVar(node, key, text);
  } else if (LIVE.has(name)) {
    node[name] = value;
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Sets the text of a node that holds nothing else. @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Sets an attribute, or removes it when the value is `null` or `false`.
 *
 * @param {Element} node @param {string} name @param {string | number | boolean | null} value
 */
export function setAttribute(node, name, value) {
  if (value === null || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/** @param {HTMLElement} node @param {boolean} isHidden */
export function setHidden(node, isHidden) {
  if (node.hidden !== isHidden) node.hidden = isHidden;
}

/** @param {Element} node @param {string} name @param {boolean} isThere */
export function setClass(node, name, isThere) {
  if (node.classList.contains(name) !== isThere) node.classList.toggle(name, isThere);
}

/**
 * Sets a custom property of an element's style: `setVar(node, "--width", "20rem")`.
 *
 * @param {HTMLElement} node @param {string} name @param {string} value
 */
export function setVar(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}

/** Whether keys typed now go into a field. @param {EventTarget | null} target */
export function isTyping(target) {
  return target instanceof HTMLElement && target.closest("input, textarea, select") !== null
    && !(target instanceof HTMLInputElement && ["checkbox", "radio"].includes(target.type));
}

let counted = 0;

/** A new id for `aria-labelledby` and the like. @param {string} stem */
export function newId(stem) {
  counted += 1;
  return `${stem}-${counted}`;
}
