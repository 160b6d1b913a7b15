// A workspace in another database than the accounts: the number of rights that have ended there decides about a write.
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

function world() {
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
  const tell = () => carryChanges(db, 1, homeDb);
  const write = (judged?: Judged) => {
    const guarded = guardedHome({
      accounts: db,
      home: homeDb,
      rights: { kind: "key", workspaceId: WORKSPACE, keyId: "key_mine" },
      judged,
      ended: () => refuse("key_revoked"),
    });
    return guarded
      .batch([guarded.insert(slots).values({ workspaceId: WORKSPACE, slots: [] })])
      .catch((error: unknown) => {
        if (error instanceof Refusal) return error.code;
        throw error;
      });
  };
  const written = () => home.prepare("SELECT slots FROM slots").all().length;
  const epochOf = (raw: typeof home) => raw.prepare("SELECT rights_epoch FROM workspaces").get()?.rights_epoch;
  return { accounts, home, revoke, tell, write, written, epochs: () => [epochOf(accounts), epochOf(home)] };
}
const now = (epoch = 0): Judged => ({ epoch, at: Date.now() });

it("writes for a caller who was judged a short while ago", async () => {
  const { write, written } = world();
  await write(now());
  expect(written()).toBe(1);
});

it("writes for a caller who was never judged, once their rights were looked at", async () => {
  const { write, written } = world();
  await write();
  expect(written()).toBe(1);
});

it("writes nothing once the caller's rights have ended and the database was told", async () => {
  const { revoke, tell, write, written } = world();
  const judged = now();
  revoke("key_mine");
  await tell();
  expect(await write(judged)).toBe("key_revoked");
  expect(written()).toBe(0);
});

it("writes once when the rights of somebody else have ended", async () => {
  const { revoke, tell, write, written, epochs } = world();
  const judged = now();
  revoke("key_other");
  await tell();
  expect(epochs()).toEqual([1, 1]);
  await write(judged);
  expect(written()).toBe(1);
});

it("looks at rights again that were judged too long ago, because the database may not have been told", async () => {
  const { revoke, write, written, epochs } = world();
  const judged = { epoch: 0, at: Date.now() - RIGHTS_KEPT_MS - 1_000 };
  await write(judged);
  expect(written()).toBe(1);
  revoke("key_mine");
  expect(epochs()).toEqual([1, 0]);
  expect(await write(judged)).toBe("key_revoked");
});

it("goes on where the accounts were restored to a time with fewer ended rights", async () => {
  const { home, write, written, epochs } = world();
  home.exec("UPDATE workspaces SET rights_epoch = 7");
  await write(now());
  expect(written()).toBe(1);
  expect(epochs()).toEqual([7, 7]);
});

it("keeps the newest number of two that are told at once", async () => {
  const { home, revoke, tell, epochs } = world();
  revoke("key_other");
  home.exec("UPDATE workspaces SET rights_epoch = 5");
  await tell();
  expect(epochs()).toEqual([1, 5]);
});

it("says that a workspace has moved whose row is not there any more", async () => {
  const { home, write } = world();
  home.exec("DELETE FROM workspaces");
  expect(await write(now())).toBe("workspace_moving");
});

it("throws what else the database refuses", async () => {
  const { write } = world();
  await write(now());
  await expect(write(now())).rejects.toThrow();
});
