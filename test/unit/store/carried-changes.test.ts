// The accounts database sends the settings of a workspace to the database with its rows. The newest settings win, even if older ones
// arrive later.
import { describe, expect, it } from "vitest";
import { carryChanges } from "../../../src/store/accounts/homes.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { databaseVia } from "../../support/breaking-db.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const COLUMNS = "plan, plan_status, timezone, approval, four_eyes, rechecks, budget, link_tags, rights_epoch";
/** Two values of each setting, neither of which is the default. */
const SETTINGS: Record<string, [string | number, string | number]> = {
  plan: ["starter", "unlimited"],
  plan_status: ["past_due", "cancelled"],
  timezone: ["Europe/Berlin", "Asia/Tokyo"],
  approval: ["authors", "all"],
  four_eyes: [1, 0],
  rechecks: ["off", "daily"],
  budget: [1, 2],
  link_tags: ['{"parameters":{}}', '{"domains":[]}'],
};

/** Sets up a workspace whose rows are in database 1. */
function setUpDatabases() {
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
    /** Starts a call that has read the changes, and whose write arrives only after `release`. */
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
  it("the setting keeps the value of the newer of two calls, even if the older one arrives last", async () => {
    const { set, tell, tellLate, rows, waiting } = setUpDatabases();
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

  it("the setting arrives even if the accounts database was restored to a time with fewer changes", async () => {
    const { accounts, set, tell, rows, waiting } = setUpDatabases();
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

it("a change during a call is sent by the next call", async () => {
  const { set, tell, tellLate, rows, waiting } = setUpDatabases();
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
