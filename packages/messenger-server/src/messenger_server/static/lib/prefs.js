/** What this browser keeps for the console: widths, folds, language. Nothing of the mail. */

const PREFIX = "messenger.";

/**
 * A kept value, or the fallback.
 *
 * @template T
 * @param {string} name @param {T} fallback
 * @returns {T}
 */
export function getPref(name, fallback) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback; // storage is closed, or holds what somebody else wrote
  }
}

/** Keeps a value; `null` forgets it. @param {string} name @param {any} value */
export function setPref(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing: the console works, and forgets.
  }
}
