/** An open thread: which of its messages are known, and what became of each. */

/**
 * @typedef {import("./names.js").Party} Party
 * @typedef {{id: string, thread_id: string, from: Party, to: Party, subject: string, priority: string,
 *   created_at: string, has_attachments: boolean, recipient_announced_at: string | null,
 *   recipient_read_at: string | null, deliveries: any[], attachments: any[],
 *   [field: string]: any}} Message As `GET /admin/threads/:id` gives it.
 */

/**
 * Puts the newest messages to those that are known.
 *
 * @param {Message[]} known In order, without a gap up to the newest one of its time.
 * @param {Message[]} newest In order, the newest of the thread.
 * @param {number} total How many the thread has.
 * @returns {Message[] | null} All of them in order; `null` when some are missing in between.
 */
export function withNewest(known, newest, total) {
  if (known.length === 0 || newest.length >= total) return newest;
  const ids = new Set(newest.map((message) => message.id));
  const first = known.findIndex((message) => ids.has(message.id));
  if (first < 0) return null;
  return [...known.slice(0, first), ...newest];
}

/** Puts older messages before those that are known. @param {Message[]} known @param {Message[]} older */
export function withOlder(known, older) {
  const ids = new Set(known.map((message) => message.id));
  return [...older.filter((message) => !ids.has(message.id)), ...known];
}

/** How many copies wait to be read. @param {Message[]} messages */
export function unreadIn(messages) {
  return messages.filter(({ deliveries: [, copy] }) => copy.present && !copy.read_at).length;
}

/**
 * The steps that a message has taken on its way: the time of each, `null` for one not taken.
 *
 * @param {Message} message
 */
export function trailOf(message) {
  return {
    stored: message.created_at,
    announced: message.recipient_announced_at,
    read: message.recipient_read_at,
  };
}

/** The last step that was taken. @param {Message} message @returns {"stored" | "announced" | "read"} */
export function stateOf(message) {
  if (message.recipient_read_at) return "read";
  return message.recipient_announced_at ? "announced" : "stored";
}
