// The columns of a delivery accept only what the publisher and the API can read: one row of another kind would stop its
// channel, or the lists of its workspace.
import { describe, expect, it } from "vitest";
import { STATES } from "../../../src/domain/delivery/transitions.ts";
import { fillOddly } from "../../support/odd-rows.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const { raw } = sqliteDatabase();
fillOddly(raw, 1);
const set = (column: string, value: string | number | null) =>
  raw.prepare(`UPDATE deliveries SET ${column} = ?`).run(value);

describe("the state of a delivery", () => {
  it.each(STATES)("may be %s", (state) => {
    expect(set("state", state).changes).toBe(1);
  });

  it.each(["dreaming", "", "LIVE", "live ", 7])("may not be %j, which is not in the table of moves", (state) => {
    expect(() => set("state", state)).toThrow(/CHECK/);
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
  it("accepts every instant, and none", () => {
    for (const value of [0, 1_795_691_589_894, LAST_MS, null]) expect(set(column, value).changes).toBe(1);
  });

  it.each(["soon", "", LAST_MS + 1, 1e300, -1])("rejects %j, which no date can show", (value) => {
    expect(() => set(column, value)).toThrow(/CHECK/);
  });
});
