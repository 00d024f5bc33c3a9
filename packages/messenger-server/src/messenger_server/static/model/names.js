/** How agents and mailboxes are called. A name is shown wherever there is one, never an address. */

/**
 * @typedef {{id: string, agent_name: string | null, display_name: string | null,
 *   deleted?: boolean}} Party A mailbox, or one side of a message.
 */

/**
 * A text of others without what overrides the direction of the letters after it: with such a character
 * `evgpj.exe` would be read as `evexe.jpg`.
 *
 * @param {string} text
 */
export function withoutOverrides(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** The agent, else the mailbox's own name, else its address. @param {Party} party */
export function agentLabel(party) {
  return withoutOverrides(party.agent_name || party.display_name || party.id);
}

/** The mailbox within its agent: its own name, else its address. @param {Party} party */
export function mailboxLabel(party) {
  return withoutOverrides(party.display_name || party.id);
}

/**
 * The agent, and the mailbox in brackets where the agent has several in sight.
 *
 * @param {Party} party @param {Party[]} [inSight] The parties shown together with it.
 */
export function partyLabel(party, inSight = []) {
  const name = agentLabel(party);
  if (party.agent_name === null || !isOneOfSeveral(party, inSight)) return name;
  return `${name} (${mailboxLabel(party)})`;
}

/** Whether another mailbox of the same agent is in sight. */
function isOneOfSeveral(/** @type {Party} */ party, /** @type {Party[]} */ inSight) {
  return inSight.some((other) => other.id !== party.id && other.agent_name === party.agent_name);
}

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** One or two readable letters of a name: "Build Bot" gives "BB", "reviewer" "Re". @param {string} name */
export function initials(name) {
  const words = name.split(/[\s\-_./@:]+/u).filter((word) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(word));
  if (words.length === 0) return "?";
  const letters = (/** @type {string} */ word, /** @type {number} */ count) => [...segments.segment(word)]
    .map((part) => part.segment)
    .filter((part) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(part))
    .slice(0, count)
    .join("");
  if (words.length === 1) {
    const two = letters(words[0], 2);
    return /\p{Extended_Pictographic}/u.test(two) ? letters(words[0], 1) : capitalized(two);
  }
  return (letters(words[0], 1) + letters(words[words.length - 1], 1)).toLocaleUpperCase();
}

/** @param {string} text */
function capitalized(text) {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

export const AVATAR_COLOURS = 12;

/** Which colour stands for a name: the same one everywhere and always. @param {string} name */
export function colourOf(name) {
  let hash = 2166136261; // FNV-1a
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  return (hash >>> 0) % AVATAR_COLOURS;
}
