// The settings of a workspace, which the accounts database sends to the database with its rows: whatever arrives last, the newest stay.
import { describe, expect, it } from "vitest";
import { carryChanges } from "../../../src/store/accounts/homes.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { databaseVia } from "../../support/breaking-db.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const COLUMNS = "plan, plan_status, timezone, approval, four_eyes, rechecks, budget, rights_epoch";
/** Two values of each setting, neither of which is the default. */
const SETTINGS: Record<string, [string | number, string | number]> = {
  plan: ["starter", "unlimited"],
  plan_status: ["past_due", "cancelled"],
  timezone: ["Europe/Berlin", "Asia/Tokyo"],
  approval: ["authors", "all"],
  four_eyes: [1, 0],
  rechecks: ["off", "daily"],
  budget: [1, 2],
};

/** A workspace whose rows are in database 1. */
function world() {
  const { raw: accounts, binding } = sqliteDatabase();
  const { raw: home, binding: homeBinding } = sqliteDatabase();
  for (const [raw, number] of [
    [accounts, 1],
    [home, 0],
  ] as const)
    raw.exec(`INSERT INTO workspaces (id, name, plan, created_at, home) VALUES ('ws_1', 'Ada', 'free', 0, ${number})`);
  const db = openDatabase(binding);
  const read = (raw: typeof home) => ({ ...raw.prepare(`SELECT ${COLUMNS} FROM workspaces`).get() });
  return {
    accounts,
    home,
    set: (column: string, value: string | number) => accounts.prepare(`UPDATE workspaces SET ${column} = ?`).run(value),
    tell: (to = homeBinding) => carryChanges(db, 1, openDatabase(to)),
    /** A call that has read the changes, and whose write arrives only after `release`. */
    tellLate() {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const late = databaseVia(homeBinding, async (_, act) => {
        reached.resolve();
        await released.promise;
        return act();
      });
      return { ended: carryChanges(db, 1, openDatabase(late)), reached: reached.promise, release: released.resolve };
    },
    rows: () => [read(accounts), read(home)],
    waiting: () => accounts.prepare("SELECT * FROM carries").all(),
  };
}

describe.each(Object.entries(SETTINGS))("%s", (column, [older, newer]) => {
  it("stays as the newer of two calls has sent it, although the older one arrives last", async () => {
    const { set, tell, tellLate, rows, waiting } = world();
    set(column, older);
    const { ended, reached, release } = tellLate();
    await reached;
    set(column, newer);
    await tell();
    release();
    await ended;
    const [accounts, home] = rows();
    expect(home).toEqual(accounts);
    expect(home).toMatchObject({ [column]: newer });
    expect(waiting()).toEqual([]);
  });

  it("arrives although the accounts were restored to a time with fewer changes", async () => {
    const { accounts, set, tell, rows, waiting } = world();
    for (const value of [older, newer, older]) set(column, value);
    await tell();
    accounts.exec("DELETE FROM workspaces");
    accounts.exec("INSERT INTO workspaces (id, name, plan, created_at, home) VALUES ('ws_1', 'Ada', 'free', 0, 1)");
    set(column, newer);
    await tell();
    expect(rows()[1]).toEqual(rows()[0]);
    expect(rows()[1]).toMatchObject({ [column]: newer });
    expect(waiting()).toEqual([]);
  });
});

it("a change during the call is sent as well", async () => {
  const { set, tell, tellLate, rows, waiting } = world();
  set("approval", "authors");
  const { ended, reached, release } = tellLate();
  await reached;
  set("approval", "all");
  release();
  await ended;
  await tell();
  expect(rows()[1]).toMatchObject({ approval: "all" });
  expect(waiting()).toEqual([]);
});
