import { expect, it } from "vitest";
import { ask } from "../../src/networks/shared/http-call.ts";

const answer = (bytes: number, headers: Record<string, string>) =>
  ask(async () => new Response(JSON.stringify("x".repeat(bytes - 2)), { headers }), 1_000);

it.each([
  ["with a known length", 1_000, { "content-length": "1000" }],
  ["without a known length", 1_000, {}],
  ["of exactly the maximum length", 1 << 20, { "content-length": String(1 << 20) }],
])("reads an answer %s completely", async (_, bytes, headers) => {
  expect(await answer(bytes, headers)).toMatchObject({ is: "answer", body: "x".repeat(bytes - 2) });
});

it.each([
  ["states its length", { "content-length": "2000000" }],
  ["does not state its length", {}],
  ["was compressed to less", { "content-length": "1000", "content-encoding": "gzip" }],
  ["states no number as its length", { "content-length": "much" }],
])("treats an answer of two million bytes that %s as silence", async (_, headers) => {
  expect(await answer(2_000_000, headers)).toMatchObject({ is: "silence" });
});

/** A body of two megabytes, regardless of its headers. */
function longBody(): ReadableStream<Uint8Array> {
  let remainingChunks = 32;
  return new ReadableStream({
    pull(controller) {
      if (remainingChunks-- > 0) controller.enqueue(new Uint8Array(65_536).fill(32));
      else controller.close();
    },
  });
}

it.each(["5", "-1", "", "0", "1e3"])("does not read an answer with the length %j beyond the limit", async (length) => {
  const call = async () => new Response(longBody(), { headers: { "content-length": length } });
  expect(await ask(call, 10_000)).toMatchObject({ is: "silence" });
});

it("treats a body that stops as silence once its time limit is over", async () => {
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
