/** Le compte. */
export default {
  "account.title": "Mon compte",
};
