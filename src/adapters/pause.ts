/** Ends after so many milliseconds, or when `signal` says so. The timer is cleared then: an object with one is not let go. */
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
