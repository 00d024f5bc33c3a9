/** The list of threads. */
export default {
  "threads.resizeAgents": "Width of the agents column",
  "threads.resizeThreads": "Width of the list of threads",
  "threads.title": "Threads",
};
