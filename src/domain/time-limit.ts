/**
 * What `work` comes to. Its signal is aborted with a `TimeoutError` after `ms`. Whatever `work` does with the answer, reading its
 * body above all, belongs into it: the timer is gone as soon as `work` has ended, however it ended. A Durable Object with a
 * pending timer stays in memory and is billed for it, which is why nothing here uses `AbortSignal.timeout`: that timer cannot be
 * cleared.
 */
export async function withTimeLimit<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException("The operation timed out.", "TimeoutError")), ms);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
