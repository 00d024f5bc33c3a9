/** Parts of the page that come when they are first wanted: modules with their texts and styles. */

import { el } from "./dom.js";
import { loadTexts } from "./i18n.js";

/** @type {Map<string, Promise<void>>} */
const styles = new Map();

/**
 * Loads a part.
 *
 * @template T
 * @param {string[]} areas Its texts and style sheets have these names; the first one is its own.
 * @param {() => Promise<T>} load Imports its module.
 * @returns {Promise<T>}
 */
export async function loadPart(areas, load) {
  const [module] = await Promise.all([load(), ...areas.map(loadStyle), ...areas.map(loadTexts)]);
  return module;
}

/** @param {string} name */
function loadStyle(name) {
  const known = styles.get(name);
  if (known) return known;
  const href = new URL(`../css/${name}.css`, import.meta.url).href;
  const loaded = new Promise((resolve, reject) => {
    const failed = () => {
      styles.delete(name);
      link.remove();
      reject(new Error(href));
    };
    const link = el("link", { rel: "stylesheet", href, on: { load: () => resolve(undefined), error: failed } });
    document.head.append(link);
  });
  styles.set(name, loaded);
  return loaded;
}
