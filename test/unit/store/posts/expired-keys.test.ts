import { expect, it } from "vitest";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { idempotencyKeys, workspaces } from "../../../../src/store/db/schema.ts";
import { forgetExpiredKeys } from "../../../../src/store/posts/cancel.ts";
import { setClock } from "../../../support/database-clock.ts";
import { sqliteDatabase } from "../../../support/sqlite-database.ts";

const NOW = 1_800_000_000_000;
const { raw, binding } = sqliteDatabase();
setClock(raw, () => NOW);
const db = openDatabase(binding);

it("expired idempotency keys are deleted a few at a time, and keys without an expiry stay", async () => {
  await db.insert(workspaces).values({ id: "ws_1", name: "Ada", plan: "unlimited", createdAt: 0 });
  const key = { workspaceId: "ws_1", postId: "post_1", fingerprint: "f", createdAt: 0 };
  const expiries = [NOW - 2, NOW - 1, NOW, NOW + 1, null];
  await db.insert(idempotencyKeys).values(expiries.map((expiresAt, i) => ({ ...key, key: `key_${i}`, expiresAt })));
  const readKeys = async () => (await db.select().from(idempotencyKeys)).map((row) => row.key);
  await forgetExpiredKeys(db, 2);
  expect(await readKeys()).toHaveLength(3);
  await forgetExpiredKeys(db, 2);
  expect(await readKeys()).toEqual(["key_3", "key_4"]);
});
