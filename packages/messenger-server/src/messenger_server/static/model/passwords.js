/** Passwords: what the server takes, and an honest word on how hard one is to guess. */

export const LEAST = 12;
export const MOST = 256;

/** What many passwords hold, and every guesser tries first; digits in place of letters are undone. */
const COMMON = new RegExp(
  "pass(word|wort)?|mot ?de ?passe|secret|admin|root|login|letmein|welcome|bienvenue|bonjour|master|dragon"
    + "|monkey|football|baseball|soleil|chouchou|doudou|loulou|i ?love ?you|je ?t ?aime|princess|sunshine"
    + "|shadow|summer|winter|spring|autumn|monday|messenger|console|change ?me|test",
  "g",
);
/** @type {Record<string, string>} */
const LETTERS = { "@": "a", "4": "a", "3": "e", "1": "i", "!": "i", "0": "o", "5": "s", "$": "s", "7": "t" };
/** Neighbours in the alphabet, among the digits, on keyboards. */
const ROWS = "abcdefghijklmnopqrstuvwxyz 01234567890 qwertyuiop asdfghjkl zxcvbnm azertyuiop qsdfghjklm wxcvbn";
const SEQUENCES = `${ROWS} ${[...ROWS].reverse().join("")}`;

/** So many bits, reckoned as below, are few; so many are plenty. */
const FEW_BITS = 45;
const MANY_BITS = 70;

/**
 * @typedef {"short" | "long" | "weakName" | "weakCommon" | "weakRepeated" | "weakSimple" | "fair" | "strong"} Verdict
 *   The server takes neither `short` nor `long` ones; what is weak, and why, is the person's choice.
 */

/**
 * What is to be said of a password.
 *
 * @param {string} password @param {string} username
 * @returns {Verdict}
 */
export function judge(password, username) {
  const length = [...password].length; // code points, as the server counts
  if (length < LEAST) return "short";
  if (length > MOST) return "long";
  const whole = password.toLowerCase();
  const name = username.trim().toLowerCase();
  const nameless = name.length > 2 ? whole.replaceAll(name, "") : whole;
  const unusual = withoutCommon(withoutSequences(nameless));
  const rest = unusual.replace(/(.+?)\1+/gu, "$1");
  const bits = [...rest].length * bitsEach(password);
  if (bits >= MANY_BITS) return "strong";
  if (bits >= FEW_BITS) return "fair";
  const losses = /** @type {[Verdict, number][]} */ ([
    ["weakName", whole.length - nameless.length],
    ["weakCommon", nameless.length - unusual.length],
    ["weakRepeated", unusual.length - rest.length],
  ]);
  const [reason, loss] = losses.reduce((most, each) => (each[1] > most[1] ? each : most));
  return loss > 2 ? reason : "weakSimple";
}

/** What one character adds when all kinds that occur are equally likely. @param {string} password */
function bitsEach(password) {
  const kinds = /** @type {[RegExp, number][]} */ ([[/[a-z]/, 26], [/[A-Z]/, 26], [/\d/, 10], [/[^a-zA-Z\d]/, 33]]);
  return Math.log2(kinds.reduce((sum, [kind, count]) => sum + (kind.test(password) ? count : 0), 0));
}

/** Of each run along a row two characters stay. @param {string} text */
function withoutSequences(text) {
  const characters = [...text];
  return characters
    .filter((_, at) => at < 2 || !SEQUENCES.includes(characters.slice(at - 2, at + 1).join("")))
    .join("");
}

/** A common word, or a year, counts as one character. @param {string} text */
function withoutCommon(text) {
  return text
    .replace(/(19\d|20[0-3])\d/g, "Y")
    .replace(/[@43!105$7]/g, (sign) => LETTERS[sign])
    .replace(COMMON, "W");
}
