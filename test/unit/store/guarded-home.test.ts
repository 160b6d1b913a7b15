// If a workspace is in another database than the accounts, writes compare the number of ended rights in its row.
import { expect, it } from "vitest";
import { RIGHTS_KEPT_MS } from "../../../src/domain/limits.ts";
import { Refusal, refuse } from "../../../src/domain/refusal.ts";
import { guardedHome } from "../../../src/store/accounts/guarded-home.ts";
import { carryChanges } from "../../../src/store/accounts/homes.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { slots } from "../../../src/store/db/schema.ts";
import type { Judged } from "../../../src/store/homes.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const WORKSPACE = "ws_1";

function setUpDatabases() {
  const { raw: accounts, binding } = sqliteDatabase();
  const { raw: home, binding: homeBinding } = sqliteDatabase();
  const [db, homeDb] = [openDatabase(binding), openDatabase(homeBinding)];
  for (const [raw, number] of [
    [accounts, 1],
    [home, 0],
  ] as const) {
    raw.exec(
      `INSERT INTO workspaces (id, name, plan, created_at, home) VALUES ('${WORKSPACE}', 'Ada', 'free', 0, ${number})`,
    );
  }
  for (const id of ["key_mine", "key_other"])
    accounts.exec(`INSERT INTO named_keys (workspace_id, id, name, hash, start, scopes, created_by, created_at)
      VALUES ('${WORKSPACE}', '${id}', '${id}', '${id}', '', '["publish"]', 'usr_1', 0)`);
  const revoke = (id: string) => accounts.exec(`UPDATE named_keys SET revoked_at = 1 WHERE id = '${id}'`);
  const sendChanges = () => carryChanges(db, 1, homeDb);
  const write = (lastCheck?: Judged) => {
    const guarded = guardedHome({
      accounts: db,
      home: homeDb,
      rights: { kind: "key", workspaceId: WORKSPACE, keyId: "key_mine" },
      judged: lastCheck,
      ended: () => refuse("key_revoked"),
    });
    return guarded
      .batch([guarded.insert(slots).values({ workspaceId: WORKSPACE, slots: [] })])
      .catch((error: unknown) => {
        if (error instanceof Refusal) return error.code;
        throw error;
      });
  };
  const countWritten = () => home.prepare("SELECT slots FROM slots").all().length;
  const readEpoch = (raw: typeof home) => raw.prepare("SELECT rights_epoch FROM workspaces").get()?.rights_epoch;
  return {
    accounts,
    home,
    revoke,
    tell: sendChanges,
    write,
    written: countWritten,
    epochs: () => [readEpoch(accounts), readEpoch(home)],
  };
}
const checkNow = (epoch = 0): Judged => ({ epoch, at: Date.now() });

it("a write succeeds for a caller whose rights were checked recently", async () => {
  const { write, written: countWritten } = setUpDatabases();
  await write(checkNow());
  expect(countWritten()).toBe(1);
});

it("a write of a caller whose rights were never checked succeeds after a check", async () => {
  const { write, written: countWritten } = setUpDatabases();
  await write();
  expect(countWritten()).toBe(1);
});

it("a write is refused once the caller's rights have ended and the change has reached the database", async () => {
  const { revoke, tell: sendChanges, write, written: countWritten } = setUpDatabases();
  const recentCheck = checkNow();
  revoke("key_mine");
  await sendChanges();
  expect(await write(recentCheck)).toBe("key_revoked");
  expect(countWritten()).toBe(0);
});

it("a write succeeds once after the rights of another caller have ended", async () => {
  const { revoke, tell: sendChanges, write, written: countWritten, epochs } = setUpDatabases();
  const recentCheck = checkNow();
  revoke("key_other");
  await sendChanges();
  expect(epochs()).toEqual([1, 1]);
  await write(recentCheck);
  expect(countWritten()).toBe(1);
});

it("a write checks rights again that were checked too long ago, because the change may not have reached the database", async () => {
  const { revoke, write, written: countWritten, epochs } = setUpDatabases();
  const oldCheck = { epoch: 0, at: Date.now() - RIGHTS_KEPT_MS - 1_000 };
  await write(oldCheck);
  expect(countWritten()).toBe(1);
  revoke("key_mine");
  expect(epochs()).toEqual([1, 0]);
  expect(await write(oldCheck)).toBe("key_revoked");
});

it("a write succeeds after the accounts database was restored to a time with fewer ended rights", async () => {
  const { home, write, written: countWritten, epochs } = setUpDatabases();
  home.exec("UPDATE workspaces SET rights_epoch = 7");
  await write(checkNow());
  expect(countWritten()).toBe(1);
  expect(epochs()).toEqual([7, 7]);
});

it("the larger number of ended rights is kept", async () => {
  const { home, revoke, tell: sendChanges, epochs } = setUpDatabases();
  revoke("key_other");
  home.exec("UPDATE workspaces SET rights_epoch = 5");
  await sendChanges();
  expect(epochs()).toEqual([1, 5]);
});

it("a write to a workspace whose row is missing is refused because the workspace has moved", async () => {
  const { home, write } = setUpDatabases();
  home.exec("DELETE FROM workspaces");
  expect(await write(checkNow())).toBe("workspace_moving");
});

it("other refusals of the database are thrown", async () => {
  const { write } = setUpDatabases();
  await write(checkNow());
  await expect(write(checkNow())).rejects.toThrow();
});
