// A caller whose rights may end writes in batches alone, each of which asks for the rights.
import { expect, it } from "vitest";
import { guardedDatabase } from "../../../src/store/accounts/guarded-database.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { workspaces } from "../../../src/store/db/schema.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const row = { id: "ws_1", name: "Ada", plan: "unlimited", createdAt: 0 };
const KEY = { kind: "key", workspaceId: "ws_1", keyId: "wk_1" } as const;
function world() {
  const { raw, binding } = sqliteDatabase();
  const db = openDatabase(binding);
  const guarded = guardedDatabase(db, KEY, async () => {});
  const revoke = () =>
    raw.exec(
      "INSERT INTO workspace_keys (workspace_id, id, hash, created_at, revoked_at) VALUES ('ws_1', 'wk_1', 'h', 0, 1)",
    );
  return { db, guarded, revoke };
}

it("writes a batch, whichever of the two its statements were made with", async () => {
  const { db, guarded } = world();
  const [made, found] = await guarded.batch([
    guarded.insert(workspaces).values(row).returning({ id: workspaces.id }),
    db.select({ id: workspaces.id }).from(workspaces),
  ]);
  expect([made, found]).toEqual([[{ id: "ws_1" }], [{ id: "ws_1" }]]);
});

it("carries out no statement outside of a batch, which would not ask for the rights", async () => {
  const { db, guarded } = world();
  const write = async () => guarded.insert(workspaces).values(row);
  await expect(write()).rejects.toThrow();
  const read = async () => guarded.select().from(workspaces);
  await expect(read()).rejects.toThrow();
  expect(await db.select().from(workspaces)).toEqual([]);
});

it("writes nothing of a batch once the rights have ended", async () => {
  const { db, guarded, revoke } = world();
  await db.insert(workspaces).values(row);
  revoke();
  const write = guarded.batch([guarded.update(workspaces).set({ name: "Eve" })]);
  await expect(write).rejects.toThrow();
  expect(await db.select({ name: workspaces.name }).from(workspaces)).toEqual([{ name: "Ada" }]);
});
