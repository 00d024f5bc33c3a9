/** The page's language: changing it builds the page anew from the same state. */

import { language, rememberLanguage, useLanguage } from "../lib/i18n.js";
import { store } from "../store.js";

/** Shows the page in another language, and remembers it. @param {string} tag */
export async function switchLanguage(tag) {
  if (tag === language()) return;
  await useLanguage(tag);
  rememberLanguage(tag);
  store.set({ language: tag });
}
