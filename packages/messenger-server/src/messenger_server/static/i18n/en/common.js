/** Texts that every view uses. */
export default {
  "common.close": "Close",
  "common.copied": "Copied",
  "common.copy": "Copy {what}",
  "common.failed": "This could not be loaded",
  "common.loading": "Loading",
  "common.notCopied": "Not copied: the browser refused",
  "common.notices": "Notices",
  "common.required": "Fill this in.",
  "common.retry": "Try again",
  "common.serverFailed": "The server failed. Its log tells the cause under the id {id}.",
  "common.skip": "Skip to the content",
  "common.titleUnread": "({count}) Messenger",
  "common.unreachable": "The server does not answer. Try again once it is back.",
};
