// A caller whose rights may end can only write in batches, each of which checks the rights.
import { expect, it } from "vitest";
import { guardedDatabase } from "../../../src/store/accounts/guarded-database.ts";
import { unlessEnded } from "../../../src/store/accounts/rights.ts";
import { holds } from "../../../src/store/accounts/sign-up.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { workspaces } from "../../../src/store/db/schema.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const row = { id: "ws_1", name: "Ada", plan: "unlimited", createdAt: 0 };
const KEY = { kind: "key", workspaceId: "ws_1", keyId: "wk_1" } as const;
function setUpGuarded() {
  const { raw, binding } = sqliteDatabase();
  const db = openDatabase(binding);
  const guarded = guardedDatabase(db, KEY, async () => {});
  const revoke = () =>
    raw.exec(
      "INSERT INTO workspace_keys (workspace_id, id, hash, created_at, revoked_at) VALUES ('ws_1', 'wk_1', 'h', 0, 1)",
    );
  return { db, guarded, revoke };
}

it("a guarded database writes a batch with statements of the guarded and of the plain database", async () => {
  const { db, guarded } = setUpGuarded();
  const [inserted, selected] = await guarded.batch([
    guarded.insert(workspaces).values(row).returning({ id: workspaces.id }),
    db.select({ id: workspaces.id }).from(workspaces),
  ]);
  expect([inserted, selected]).toEqual([[{ id: "ws_1" }], [{ id: "ws_1" }]]);
});

it("a guarded database refuses statements outside of a batch, because they would not check the rights", async () => {
  const { db, guarded } = setUpGuarded();
  const write = async () => guarded.insert(workspaces).values(row);
  await expect(write()).rejects.toThrow();
  const read = async () => guarded.select().from(workspaces);
  await expect(read()).rejects.toThrow();
  expect(await db.select().from(workspaces)).toEqual([]);
});

it("a guarded database writes nothing of a batch once the rights have ended", async () => {
  const { db, guarded, revoke } = setUpGuarded();
  await db.insert(workspaces).values(row);
  revoke();
  const write = guarded.batch([guarded.update(workspaces).set({ name: "Eve" })]);
  await expect(write).rejects.toThrow();
  expect(await db.select({ name: workspaces.name }).from(workspaces)).toEqual([{ name: "Ada" }]);
});

it.each([
  ["remain while they are a member", "SELECT 1", true],
  ["end when they get a lesser role", "UPDATE members SET role = 'viewer'", false],
  ["end when they are removed", "DELETE FROM members", false],
  ["end when the workspace is emptied later", "UPDATE workspaces SET emptied_at = 5", false],
  ["remain if the workspace was emptied earlier", "UPDATE workspaces SET emptied_at = 4", true],
])("the rights of a member who created a link %s", async (_case, change, expected) => {
  const { raw, binding } = sqliteDatabase();
  raw.exec("INSERT INTO users (id, email, created_at) VALUES ('usr_1', 'ada@example.com', 0)");
  raw.exec("INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_1', 'Ada', 'free', 0)");
  raw.exec("INSERT INTO members (workspace_id, user_id, role, created_at) VALUES ('ws_1', 'usr_1', 'owner', 0)");
  const rights = { kind: "member", workspaceId: "ws_1", userId: "usr_1", roles: ["owner"], since: 5 } as const;
  raw.exec(change);
  expect(await holds(openDatabase(binding), unlessEnded(rights))).toBe(expected);
});
