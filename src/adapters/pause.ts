/**
 * Resolves after this many milliseconds, or when `signal` aborts. The timer is cleared then, because an object with a
 * pending timer is not evicted.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((end) => {
    if (signal?.aborted) return end();
    const timer = setTimeout(end, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        end();
      },
      { once: true },
    );
  });
}
