/**
 * Lists that are updated by key, in place: focus, scroll, an open message and a half-typed field
 * survive a refresh.
 */

/** @type {WeakMap<Element, Map<any, any>>} */
const nodesOf = new WeakMap();

/**
 * Makes the children of `parent` those of `items`, in their order. A node stays that of its key;
 * only what is out of place moves. `parent` holds nothing else.
 *
 * @template T
 * @param {Element} parent
 * @param {T[]} items Their keys are all different.
 * @param {{key: (item: T) => any, create: (item: T) => Element,
 *   update?: (node: any, item: T) => void}} how `update` is called for new nodes too, and writes
 *   only what differs.
 */
export function renderKeyed(parent, items, { key, create, update }) {
  const before = nodesOf.get(parent) ?? new Map();
  const after = new Map();
  const wanted = new Set(items.map(key));
  for (const [id, node] of before) if (!wanted.has(id)) node.remove();
  let cursor = parent.firstElementChild;
  for (const item of items) {
    const id = key(item);
    const node = before.get(id) ?? create(item);
    after.set(id, node);
    if (cursor === node) cursor = node.nextElementSibling;
    else move(parent, node, cursor);
    update?.(node, item);
  }
  nodesOf.set(parent, after);
}

/** The node that stands for a key now. @param {Element} parent @param {any} id */
export function nodeOf(parent, id) {
  return nodesOf.get(parent)?.get(id) ?? null;
}

/** Moves a node without losing its focus or scroll where the browser can. */
function move(/** @type {any} */ parent, /** @type {any} */ node, /** @type {Element | null} */ next) {
  if (node.parentNode === parent && parent.moveBefore) {
    parent.moveBefore(node, next);
    return;
  }
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  parent.insertBefore(node, next);
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}
