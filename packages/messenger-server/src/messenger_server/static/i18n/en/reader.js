/** The reader. */
export default {
  "reader.title": "Conversation",
};
