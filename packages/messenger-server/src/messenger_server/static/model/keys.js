/** API keys: what state one is in, how long it is good, and what an agent's host needs of it. */

/**
 * @typedef {{id: string, name: string, start: string, end: string, agent_name: string | null,
 *   agent_description: string | null, can_send: boolean, vendor: string | null, relay: boolean,
 *   created_at: string, expires_at: string | null, last_used_at: string | null,
 *   state: "active" | "expired" | "revoked", replaced_by: string | null,
 *   accepted_until: string | null}} Key
 */

/** Days; `null` is no end. */
export const LIFETIMES = [30, 90, 365, null];
export const USUAL_DAYS = 90;

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

/** Whether it ends within a week. @param {Key} key */
export function endsSoon(key, nowMs = Date.now()) {
  if (key.state !== "active" || !key.expires_at) return false;
  return Date.parse(key.expires_at) - nowMs < SOON_DAYS * DAY_MS;
}

/** Until when it would be good: RFC 3339, `null` for ever. @param {Key} key @param {number | null} days */
export function extendedUntil(key, days, nowMs = Date.now()) {
  if (days === null || !key.expires_at) return null;
  return new Date(Math.max(nowMs, Date.parse(key.expires_at)) + days * DAY_MS).toISOString();
}

/**
 * The file `.mcp.json`; a key for all agents does not say which one it is, so that is filled in.
 *
 * @param {string} origin Of the server. @param {string} secret @param {boolean} isBound
 */
export function mcpFile(origin, secret, isBound) {
  const who = isBound ? {} : { MESSENGER_AGENT_NAME: "", MESSENGER_AGENT_DESCRIPTION: "" };
  const env = { MESSENGER_SERVER_URL: origin, MESSENGER_API_KEY: secret, ...who };
  const messenger = { command: "uvx", args: ["messenger-mcp"], env };
  const text = JSON.stringify({ mcpServers: { messenger } }, null, 2);
  return text.replace(/\[\s+("[^"]*")\s+\]/, "[$1]"); // as one writes a short list by hand
}

/**
 * The command that writes that file. The key is no argument: other users of a machine may read those.
 *
 * @param {string} origin @param {string} secret @param {boolean} isReplacement An entry is there.
 */
export function setupCommand(origin, secret, isReplacement) {
  const force = isReplacement ? " --force" : "";
  return `MESSENGER_API_KEY=${secret} uvx messenger-mcp --claude-setup-mcp --server-url ${origin}${force}`;
}
