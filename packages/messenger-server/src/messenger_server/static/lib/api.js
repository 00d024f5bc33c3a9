/**
 * Requests to the server: JSON both ways, refusals as `Problem`, no answer as `Unreachable`.
 * Whoever wants to know hears whether the server answers and when the session has ended.
 */

/** A refusal of the server (RFC 9457). */
export class Problem extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body.detail ?? body.title ?? String(status));
    this.status = status;
    /** @type {string} */
    this.code = body.code ?? "";
    /** @type {{field: string, message: string}[]} */
    this.errors = body.errors ?? [];
    /** @type {number | undefined} */
    this.retryAfterSeconds = body.retry_after_seconds;
    /** @type {string | undefined} */
    this.requestId = body.request_id;
  }
}

/** No answer came: the server is away, or the network. */
export class Unreachable extends Error {}

const listeners = { session: () => {}, connection: (/** @type {boolean} */ _isThere) => {} };

/**
 * Who is told of what every request may find out.
 *
 * @param {{onSessionEnded: () => void, onConnection: (isThere: boolean) => void}} told
 */
export function listenToApi({ onSessionEnded, onConnection }) {
  listeners.session = onSessionEnded;
  listeners.connection = onConnection;
}

/**
 * A path with its query; `null`, `undefined`, `false` and `""` are left out.
 *
 * @param {string} path @param {Record<string, any>} [query]
 */
export function withQuery(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== false && value !== "") {
      parameters.set(name, String(value));
    }
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * Reads a document.
 *
 * @param {string} path @param {Record<string, any>} [query] @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 * @throws {Problem | Unreachable | DOMException} The last when `signal` aborted it.
 */
export async function get(path, query, signal) {
  const answer = await request("GET", withQuery(path, query), { signal });
  return answer.json();
}

/** Entity tags and documents of what is polled, by URL; the oldest go first. */
const polled = new Map();
const POLLED_MOST = 12;

/**
 * Reads a document again and again: an unchanged one costs the server and the page next to nothing.
 *
 * @param {string} path @param {Record<string, any>} [query] @param {AbortSignal} [signal]
 * @returns {Promise<{changed: boolean, document: any}>} The very same `document` while `changed` is
 *   false.
 * @throws {Problem | Unreachable | DOMException}
 */
export async function poll(path, query, signal) {
  const url = withQuery(path, query);
  const known = polled.get(url);
  const headers = known ? { "If-None-Match": known.tag } : {};
  const answer = await request("GET", url, { signal, headers });
  if (answer.status === 304) return { changed: false, document: known.document };
  const document = await answer.json();
  const tag = answer.headers.get("ETag");
  polled.delete(url);
  if (tag) polled.set(url, { tag, document });
  if (polled.size > POLLED_MOST) polled.delete(polled.keys().next().value);
  return { changed: true, document };
}

/** Forgets what was polled: somebody else may sign in. */
export function forgetPolled() {
  polled.clear();
}

/**
 * Writes: POST, PATCH or DELETE.
 *
 * @param {"POST" | "PATCH" | "DELETE"} method @param {string} path @param {any} [body]
 * @param {Record<string, any>} [query]
 * @returns {Promise<any>} The answer's document, `null` when it has none.
 * @throws {Problem | Unreachable}
 */
export async function send(method, path, body, query) {
  const options = body === undefined ? {} : {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await request(method, withQuery(path, query), options);
  return answer.status === 204 ? null : answer.json();
}

/** @param {string} method @param {string} url @param {RequestInit} options */
async function request(method, url, options) {
  let answer;
  try {
    answer = await fetch(url, { method, credentials: "same-origin", ...options });
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    listeners.connection(false);
    throw new Unreachable(url);
  }
  // 502 to 504 come from a proxy in front of a server that is away.
  const isThere = ![502, 503, 504].includes(answer.status);
  listeners.connection(isThere);
  if (answer.ok || answer.status === 304) return answer;
  const problem = new Problem(answer.status, await answer.json().catch(() => ({})));
  if (problem.code === "console_session_required") listeners.session();
  throw problem;
}
