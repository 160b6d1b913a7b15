import { expect, it } from "vitest";
import { callObject } from "../../../src/adapters/object-call.ts";

/** Calls an object that fails `times` times, and says how often it was called. */
async function call(times: number, marks: { retryable?: boolean; overloaded?: boolean }) {
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

it("calls an object again after a failure that passes, each time after a longer wait", async () => {
  const { answer, calls, waits } = await call(3, { retryable: true });
  expect([answer, calls, waits.length]).toEqual(["answered", 4, 3]);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});

it("gives an object up after four calls", async () => {
  expect(await call(4, { retryable: true })).toMatchObject({ answer: "Network connection lost.", calls: 4 });
});

it.each([{}, { retryable: false }, { retryable: true, overloaded: true }])(
  "does not call an object again that failed with %j",
  async (marks) => {
    expect(await call(1, marks)).toMatchObject({ answer: "Network connection lost.", calls: 1, waits: [] });
  },
);
