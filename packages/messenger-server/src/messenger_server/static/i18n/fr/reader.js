/** Le lecteur. */
export default {
  "reader.title": "Conversation",
};
