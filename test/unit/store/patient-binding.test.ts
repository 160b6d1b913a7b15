import { expect, it } from "vitest";
import { patientBinding } from "../../../src/store/db/patient-binding.ts";
import { PASSING, REFUSED } from "../../support/d1-errors.ts";
import { makeBinding } from "../../support/sqlite-binding.ts";

const READ = 'SELECT "updated_at" FROM posts WHERE id = ?';
const WRITE = "INSERT INTO posts (id) VALUES (?)";

/** Makes a database that fails with these errors in turn and then works, and counts its calls. */
function makeFailing(...texts: string[]) {
  const waits: number[] = [];
  let countCalls = 0;
  const answer = async () => {
    const text = texts[countCalls++];
    if (text !== undefined) throw new Error(text);
    return [];
  };
  const real = makeBinding({ query: answer, arrays: answer, batch: answer });
  const db = patientBinding(real, { pause: async (ms) => void waits.push(ms), random: () => 0.5 });
  return { db, waits, countCalls: () => countCalls };
}

it("a read is repeated after temporary errors, with increasing waits", async () => {
  const { db, waits, countCalls } = makeFailing(PASSING.lost, PASSING.updated, PASSING.overloaded);
  expect(await db.prepare(READ).bind("1").raw()).toEqual([]);
  expect([countCalls(), waits]).toEqual([4, [50, 200, 800]]);
});

it("a read fails after four tries with the last error", async () => {
  const { db, countCalls } = makeFailing(PASSING.lost, PASSING.lost, PASSING.lost, PASSING.overloaded, PASSING.lost);
  await expect(db.prepare(READ).bind("1").all()).rejects.toThrow("overloaded");
  expect(countCalls()).toBe(4);
});

it("a write is repeated only if it was certainly not carried out", async () => {
  const busy = makeFailing(PASSING.busy, PASSING.overloaded);
  await busy.db.batch([busy.db.prepare(READ).bind("1"), busy.db.prepare(WRITE).bind("1")]);
  expect(busy.countCalls()).toBe(3);
  const lost = makeFailing(PASSING.lost);
  await expect(lost.db.prepare(WRITE).bind("1").run()).rejects.toThrow("connection lost");
  expect(lost.countCalls()).toBe(1);
});

it.each([REFUSED.error, PASSING.full, PASSING.readLimit])(
  "a read is not repeated after an error that does not pass soon: %s",
  async (text) => {
    const { db, countCalls } = makeFailing(text);
    await expect(db.prepare(READ).bind("1").all()).rejects.toThrow(text);
    expect(countCalls()).toBe(1);
  },
);
