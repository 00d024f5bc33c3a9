/** Polling: every few seconds, never on a hidden page, never two at once. */

/**
 * @param {() => Promise<unknown>} run What to do; a failure is its own to show.
 * @param {number} everyMs From the end of one run to the begin of the next.
 * @returns {{start: () => void, stop: () => void, now: () => Promise<void>}} `now` runs at once; while
 *   a run is under way, once more right after it.
 */
export function createPoller(run, everyMs) {
  let isOn = false;
  let isAgain = false;
  /** @type {Promise<void> | null} */
  let running = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function plan() {
    clearTimeout(timer);
    if (isOn && !document.hidden) timer = setTimeout(now, everyMs);
  }

  async function runAll() {
    do {
      isAgain = false;
      await run().catch(() => {});
    } while (isAgain);
    running = null;
    plan();
  }

  function now() {
    clearTimeout(timer);
    if (running) isAgain = true;
    else running = runAll();
    return running;
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else if (isOn) void now();
  });

  return {
    start() {
      if (isOn) return;
      isOn = true;
      plan();
    },
    stop() {
      isOn = false;
      clearTimeout(timer);
    },
    now,
  };
}
