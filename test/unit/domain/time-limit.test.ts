import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withTimeLimit } from "../../../src/domain/time-limit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes a body that never ends, with a mock that records its cancellation. */
function makeEndlessBody() {
  const cancelled = vi.fn();
  return { body: new ReadableStream<Uint8Array>({ cancel: cancelled }), cancelled };
}

it("withTimeLimit leaves no timer behind when the body of an answer has been read", async () => {
  const text = await withTimeLimit(30_000, async () => {
    const response = new Response("published");
    expect(vi.getTimerCount()).toBe(1);
    return response.text();
  });
  expect([text, vi.getTimerCount()]).toEqual(["published", 0]);
});

it("withTimeLimit leaves no timer behind when an answer has no body", async () => {
  expect((await withTimeLimit(30_000, async () => new Response(null, { status: 403 }))).status).toBe(403);
  expect(vi.getTimerCount()).toBe(0);
});

it("withTimeLimit leaves no timer behind when the body of an answer is cancelled unread", async () => {
  const { body, cancelled } = makeEndlessBody();
  await withTimeLimit(30_000, () => body.cancel());
  expect(cancelled).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

it("withTimeLimit leaves no timer behind when the call rejects", async () => {
  await expect(withTimeLimit(30_000, () => Promise.reject(new TypeError("fetch failed")))).rejects.toThrow(TypeError);
  expect(vi.getTimerCount()).toBe(0);
});

it("withTimeLimit leaves no timer behind when the call throws synchronously", async () => {
  const refused = withTimeLimit(30_000, () => {
    throw new TypeError("not an address");
  });
  await expect(refused).rejects.toThrow("not an address");
  expect(vi.getTimerCount()).toBe(0);
});

it("withTimeLimit aborts the signal with a TimeoutError once the time is over, even while the body is being read", async () => {
  const { body } = makeEndlessBody();
  const late = withTimeLimit(30_000, async (signal) => {
    const reader = body.getReader();
    const aborted = new Promise<never>((_, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
    return Promise.race([reader.read(), aborted]);
  });
  const thrown = expect(late).rejects.toMatchObject({ name: "TimeoutError" });
  await vi.advanceTimersByTimeAsync(29_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await thrown;
  expect(vi.getTimerCount()).toBe(0);
});
