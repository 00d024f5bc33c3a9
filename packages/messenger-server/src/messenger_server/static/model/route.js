/**
 * The URL: which tab, which filter, which thread and message. A link to it can be shared.
 *
 * `agent` is an agent's name, `mailbox` an address: at most one of them is there. `chosen` is the
 * address that the tab of links looks at.
 */

export const TABS = ["threads", "links", "keys", "account"];
export const FILTERS = ["all", "unread", "high"];

/** @typedef {{tab: string, agent: string | null, mailbox: string | null, filter: string,
 *   search: string, thread: string | null, message: string | null, chosen: string | null}} Route */

/** What a query says; what it does not know it takes for absent. @param {string} query */
export function readRoute(query) {
  const parameters = new URLSearchParams(query);
  const tab = parameters.get("tab") ?? "threads";
  const filter = parameters.get("filter") ?? "all";
  const mailbox = parameters.get("mailbox") || null;
  /** @type {Route} */
  const route = {
    tab: TABS.includes(tab) ? tab : "threads",
    agent: mailbox ? null : parameters.get("agent") || null,
    mailbox,
    filter: FILTERS.includes(filter) ? filter : "all",
    search: parameters.get("search") ?? "",
    thread: parameters.get("thread") || null,
    message: parameters.get("message") || null,
    chosen: parameters.get("chosen") || null,
  };
  return route;
}

/** The query that says it, `""` for the page as it opens. @param {Route} route */
export function writeRoute(route) {
  const parameters = new URLSearchParams();
  if (route.tab !== "threads") parameters.set("tab", route.tab);
  if (route.mailbox) parameters.set("mailbox", route.mailbox);
  else if (route.agent !== null) parameters.set("agent", route.agent);
  if (route.filter !== "all") parameters.set("filter", route.filter);
  if (route.search) parameters.set("search", route.search);
  if (route.thread) parameters.set("thread", route.thread);
  if (route.thread && route.message) parameters.set("message", route.message);
  if (route.tab === "links" && route.chosen) parameters.set("chosen", route.chosen);
  const text = parameters.toString();
  return text && `?${text}`;
}

/**
 * The query of a link that can be shared: to a thread, or to one message of it, without a filter.
 *
 * @param {string} thread @param {string | null} [message]
 */
export function linkTo(thread, message = null) {
  return writeRoute({ ...readRoute(""), thread, message });
}
