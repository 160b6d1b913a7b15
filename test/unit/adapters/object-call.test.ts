import { expect, it } from "vitest";
import { callObject } from "../../../src/adapters/object-call.ts";

/** Calls an object that fails `times` times, and returns how often it was called. */
async function callFailing(times: number, marks: { retryable?: boolean; overloaded?: boolean }) {
  let calls = 0;
  const waits: number[] = [];
  const answer = await callObject(
    async () => {
      if (calls++ < times) throw Object.assign(new Error("Network connection lost."), marks);
      return "answered";
    },
    async (ms) => void waits.push(ms),
  ).catch((error: Error) => error.message);
  return { answer, calls, waits };
}

it("repeats a call of an object after each temporary failure, with increasing waits", async () => {
  const { answer, calls, waits } = await callFailing(3, { retryable: true });
  expect([answer, calls, waits.length]).toEqual(["answered", 4, 3]);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});

it("gives up after four calls of an object", async () => {
  expect(await callFailing(4, { retryable: true })).toMatchObject({ answer: "Network connection lost.", calls: 4 });
});

it.each([{}, { retryable: false }, { retryable: true, overloaded: true }])(
  "does not repeat a call of an object that failed with %j",
  async (marks) => {
    expect(await callFailing(1, marks)).toMatchObject({ answer: "Network connection lost.", calls: 1, waits: [] });
  },
);
