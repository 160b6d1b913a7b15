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
