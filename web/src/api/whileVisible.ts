/** Work that is repeated while someone can see the page. */

/**
 * Does `work` each `every` milliseconds, never twice at once, and not in a hidden tab: one that is shown again does it
 * at once if it is due. Returns what ends it, which aborts the signal.
 */
export function whileVisible(work: (signal: AbortSignal) => Promise<void>, every: number): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let isAtWork = false;
  let last = Date.now();
  const doIfDue = async (): Promise<void> => {
    if (isAtWork || document.hidden || Date.now() - last < every) return;
    isAtWork = true;
    await work(signal);
    isAtWork = false;
    last = Date.now();
  };
  const timer = setInterval(doIfDue, every / 15);
  document.addEventListener("visibilitychange", doIfDue, { signal });
  signal.addEventListener("abort", () => clearInterval(timer));
  return () => controller.abort();
}
