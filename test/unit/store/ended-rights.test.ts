// Which uploads arrived after the rights had ended by which their addresses were handed out.
import { expect, it } from "vitest";
import { findLateUploads, forgetEnds } from "../../../src/store/accounts/ended-rights.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const CREATED = 1_000_000;
const upload = (id: string, uploader: string | null, uploaderCredential: string | null = null) => ({
  workspaceId: "ws_1",
  id,
  uploader,
  uploaderCredential,
  createdAt: CREATED,
  state: "awaiting_upload" as const,
  etag: null,
});
function world() {
  const { raw, binding } = sqliteDatabase();
  const end = (holder: string, at: number) => raw.prepare("INSERT INTO ended_rights VALUES (?, ?)").run(holder, at);
  return { raw, db: openDatabase(binding), end };
}
const MEMBER = upload("med_1", "member:ws_1:usr_1", "session:hash");

it.each([
  ["arrived before its session ended", "session:hash", CREATED + 9, CREATED + 8, false],
  ["arrived in the same millisecond", "session:hash", CREATED + 9, CREATED + 9, true],
  ["arrived after its session ended", "session:hash", CREATED + 9, CREATED + 10, true],
  ["arrived after its member was removed", "member:ws_1:usr_1", CREATED + 9, CREATED + 10, true],
  ["has not arrived when its member is removed", "member:ws_1:usr_1", CREATED + 9, null, true],
  ["is of a member who was removed long before and came back", "member:ws_1:usr_1", CREATED - 60_000, CREATED, false],
  ["is of somebody else than whose rights ended", "member:ws_1:usr_2", CREATED + 9, CREATED + 10, false],
])("an upload that %s is judged so", async (_which, holder, endedAt, uploadedAt, isLate) => {
  const { db, end } = world();
  end(holder, endedAt);
  expect(await findLateUploads(db, [{ row: MEMBER, uploadedAt }])).toEqual(new Set(isLate ? ["med_1"] : []));
});

it("a file whose content is known, or that nobody is noted for, stays as it is", async () => {
  const { db, end } = world();
  end("member:ws_1:usr_1", CREATED + 1);
  const rows = [{ ...MEMBER, etag: "1" }, { ...MEMBER, state: "ready" as const }, upload("med_2", null)];
  expect(
    await findLateUploads(
      db,
      rows.map((row) => ({ row, uploadedAt: CREATED + 2 })),
    ),
  ).toEqual(new Set());
});

it("a key ends by its time, too", async () => {
  const { raw, db } = world();
  raw.exec("INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_1', 'Ada', 'free', 0)");
  raw.exec(`INSERT INTO named_keys (workspace_id, id, name, hash, start, scopes, created_by, created_at, expires_at)
    VALUES ('ws_1', 'key_1', 'CI', 'h', '', '["draft"]', 'usr_1', 0, ${CREATED + 5})`);
  const row = upload("med_1", "key:ws_1:key_1");
  expect(await findLateUploads(db, [{ row, uploadedAt: CREATED + 4 }])).toEqual(new Set());
  expect(await findLateUploads(db, [{ row, uploadedAt: CREATED + 6 }])).toEqual(new Set(["med_1"]));
});

it("as many uploads as a sweep or an import looks at are judged at once", async () => {
  const { db, end } = world();
  end("session:hash", CREATED + 1);
  const arrivals = Array.from({ length: 10_000 }, (_, i) => ({
    row: upload(`med_${i}`, "member:ws_1:usr_1", i % 2 === 0 ? "session:hash" : "session:other"),
    uploadedAt: CREATED + 2,
  }));
  expect((await findLateUploads(db, arrivals)).size).toBe(5_000);
});

it("ends are forgotten once no upload can arrive any more that was handed out before", async () => {
  const { raw, db, end } = world();
  end("session:old", Date.now() - 3 * 86_400_000);
  end("session:new", Date.now() - 86_400_000);
  await forgetEnds(db, 10);
  expect(
    raw
      .prepare("SELECT holder FROM ended_rights")
      .all()
      .map(({ holder }) => holder),
  ).toEqual(["session:new"]);
});
