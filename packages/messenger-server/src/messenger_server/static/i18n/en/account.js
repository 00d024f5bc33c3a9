/** The account. */
export default {
  "account.title": "My account",
};
