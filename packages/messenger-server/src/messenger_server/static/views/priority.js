/** What priorities are called. */

import { t } from "../lib/i18n.js";

/** @param {string} priority */
export function priorityName(priority) {
  return { low: t("reader.low"), high: t("reader.high"), urgent: t("reader.urgent") }[priority] ?? t("reader.normal");
}
