/**
 * Returns the result of `work`. Its signal is aborted with a `TimeoutError` after `ms`. All use of the answer, above all
 * reading its body, belongs inside `work`: the timer is cleared as soon as `work` has ended, successfully or not. A Durable
 * Object with a pending timer stays in memory and is billed for it, so `AbortSignal.timeout` is not used: its timer cannot be
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
