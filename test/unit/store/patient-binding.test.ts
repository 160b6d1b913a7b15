import { expect, it } from "vitest";
import { patientBinding } from "../../../src/store/db/patient-binding.ts";
import { PASSING, REFUSED } from "../../support/d1-errors.ts";
import { bindingOf } from "../../support/sqlite-binding.ts";

const READ = 'SELECT "updated_at" FROM posts WHERE id = ?';
const WRITE = "INSERT INTO posts (id) VALUES (?)";

/** A database that fails with these texts, one after the other, and then works; and how often it was asked. */
function failing(...texts: string[]) {
  const waits: number[] = [];
  let asked = 0;
  const answer = async () => {
    const text = texts[asked++];
    if (text !== undefined) throw new Error(text);
    return [];
  };
  const real = bindingOf({ query: answer, arrays: answer, batch: answer });
  const db = patientBinding(real, { pause: async (ms) => void waits.push(ms), random: () => 0.5 });
  return { db, waits, asked: () => asked };
}

it("asks a read again after faults that pass soon, each time after a longer wait", async () => {
  const { db, waits, asked } = failing(PASSING.lost, PASSING.updated, PASSING.overloaded);
  expect(await db.prepare(READ).bind("1").raw()).toEqual([]);
  expect([asked(), waits]).toEqual([4, [50, 200, 800]]);
});

it("gives a read up after four tries, with the last fault", async () => {
  const { db, asked } = failing(PASSING.lost, PASSING.lost, PASSING.lost, PASSING.overloaded, PASSING.lost);
  await expect(db.prepare(READ).bind("1").all()).rejects.toThrow("overloaded");
  expect(asked()).toBe(4);
});

it("asks a write again only when it was certainly not carried out", async () => {
  const busy = failing(PASSING.busy, PASSING.overloaded);
  await busy.db.batch([busy.db.prepare(READ).bind("1"), busy.db.prepare(WRITE).bind("1")]);
  expect(busy.asked()).toBe(3);
  const lost = failing(PASSING.lost);
  await expect(lost.db.prepare(WRITE).bind("1").run()).rejects.toThrow("connection lost");
  expect(lost.asked()).toBe(1);
});

it.each([REFUSED.error, PASSING.full, PASSING.readLimit])(
  "does not repeat what waiting a moment cannot help: %s",
  async (text) => {
    const { db, asked } = failing(text);
    await expect(db.prepare(READ).bind("1").all()).rejects.toThrow(text);
    expect(asked()).toBe(1);
  },
);
