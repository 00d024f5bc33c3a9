/** What a browser says of itself, as a person would call it. */

/** The first one that is found: browsers also name those that they descend from. */
const BROWSERS = /** @type {[RegExp, string][]} */ ([
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\bChromium\//, "Chromium"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/\bVersion\/.* Safari\//, "Safari"],
]);
const SYSTEMS = /** @type {[RegExp, string][]} */ ([
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
]);

/**
 * @param {string | null} userAgent
 * @returns {{browser: string | null, system: string | null}} `browser` is the program's own name for
 *   what is no browser ("curl"), `null` where nothing is said.
 */
export function readUserAgent(userAgent) {
  const text = userAgent ?? "";
  const first = (/** @type {[RegExp, string][]} */ table) => table.find(([sign]) => sign.test(text))?.[1] ?? null;
  return { browser: first(BROWSERS) ?? (/^[^\s/;(]+/.exec(text)?.[0] || null), system: first(SYSTEMS) };
}
