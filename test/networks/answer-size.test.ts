import { expect, it } from "vitest";
import { ask } from "../../src/networks/shared/http-call.ts";

const answer = (bytes: number, headers: Record<string, string>) =>
  ask(async () => new Response(JSON.stringify("x".repeat(bytes - 2)), { headers }), 1_000);

it.each([
  ["of a length that is told", 1_000, { "content-length": "1000" }],
  ["of a length that is not told", 1_000, {}],
  ["that is exactly as long as may be", 1 << 20, { "content-length": String(1 << 20) }],
])("an answer %s is read whole", async (_, bytes, headers) => {
  expect(await answer(bytes, headers)).toMatchObject({ is: "answer", body: "x".repeat(bytes - 2) });
});

it.each([
  ["says so", { "content-length": "2000000" }],
  ["does not say so", {}],
  ["was packed into less", { "content-length": "1000", "content-encoding": "gzip" }],
  ["tells no number", { "content-length": "much" }],
])("an answer of two million bytes that %s is silence", async (_, headers) => {
  expect(await answer(2_000_000, headers)).toMatchObject({ is: "silence" });
});

/** A body of two megabytes, whatever its headers say. */
function longBody(): ReadableStream<Uint8Array> {
  let left = 32;
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(65_536).fill(32));
      else controller.close();
    },
  });
}

it.each(["5", "-1", "", "0", "1e3"])(
  "an answer whose length is said to be %j is not read beyond the limit",
  async (said) => {
    const call = async () => new Response(longBody(), { headers: { "content-length": said } });
    expect(await ask(call, 10_000)).toMatchObject({ is: "silence" });
  },
);

it("a body that stops coming is silence when its time is over", async () => {
  const answer = await ask(async (signal) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array([91]));
        signal.addEventListener("abort", () => controller.error(signal.reason));
      },
    });
    return new Response(body);
  }, 20);
  expect(answer).toEqual({ is: "silence", detail: "no answer within 0.02 s" });
});
