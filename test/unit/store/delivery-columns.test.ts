// The columns of a delivery accept only values that the publisher and the API can read, because one invalid row would stop its
// channel, or the lists of its workspace.
import { describe, expect, it } from "vitest";
import { FOLLOW_UP_KINDS, FOLLOW_UP_STATES } from "../../../src/domain/delivery/follow-up-moves.ts";
import { STATES } from "../../../src/domain/delivery/transitions.ts";
import { fillOddly } from "../../support/odd-rows.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const { raw } = sqliteDatabase();
fillOddly(raw, 1);
const set = (column: string, value: string | number | null) =>
  raw.prepare(`UPDATE deliveries SET ${column} = ?`).run(value);

describe("the state of a delivery", () => {
  it.each(STATES)("the state of a delivery may be %s", (state) => {
    expect(set("state", state).changes).toBe(1);
  });

  it.each(["dreaming", "", "LIVE", "live ", 7])(
    "the state of a delivery must not be %j, which is not in the table of moves",
    (state) => {
      expect(() => set("state", state)).toThrow(/CHECK/);
    },
  );
});

describe("a row of work", () => {
  const setWork = (column: string, value: string | number | null) =>
    raw.prepare(`UPDATE follow_ups SET ${column} = ?`).run(value);

  it("a row of follow-up work accepts every state and kind of the table of moves", () => {
    for (const state of FOLLOW_UP_STATES) expect(setWork("state", state).changes).toBe(1);
    for (const kind of FOLLOW_UP_KINDS) expect(setWork("kind", kind).changes).toBe(1);
  });

  it.each([
    ["state", "dreaming"],
    ["state", ""],
    ["kind", "dance"],
    ["tries", "many"],
    ["tries", -1],
  ])("a row of follow-up work rejects %j = %j", (column, value) => {
    expect(() => setWork(column, value)).toThrow(/CHECK/);
  });
});

/** The last instant that a date in JavaScript can have: ECMA-262, "Time Values and Time Range". */
const LAST_MS = 8_640_000_000_000_000;
const instants = raw
  .prepare("SELECT name FROM pragma_table_info('deliveries') WHERE type = 'INTEGER'")
  .all()
  .map(({ name }) => String(name))
  .filter((name) => /(_at|_since|_for)$/.test(name));

describe.each(instants)("%s", (column) => {
  it("the column accepts every instant, and null", () => {
    for (const value of [0, 1_795_691_589_894, LAST_MS, null]) expect(set(column, value).changes).toBe(1);
  });

  it.each(["soon", "", LAST_MS + 1, 1e300, -1])("the column rejects %j, which is not a valid date", (value) => {
    expect(() => set(column, value)).toThrow(/CHECK/);
  });
});
