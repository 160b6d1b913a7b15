// Uploads are late if they arrived after the rights had ended under which their addresses were issued.
import { expect, it } from "vitest";
import { findLateUploads, forgetEnds } from "../../../src/store/accounts/ended-rights.ts";
import { openDatabase } from "../../../src/store/db/db.ts";
import { sqliteDatabase } from "../../support/sqlite-database.ts";

const CREATED = 1_000_000;
const makeUpload = (id: string, uploader: string | null, uploaderCredential: string | null = null) => ({
  workspaceId: "ws_1",
  id,
  uploader,
  uploaderCredential,
  createdAt: CREATED,
  state: "awaiting_upload" as const,
  etag: null,
});
function setUpDatabase() {
  const { raw, binding } = sqliteDatabase();
  const end = (holder: string, time: number) => raw.prepare("INSERT INTO ended_rights VALUES (?, ?)").run(holder, time);
  return { raw, db: openDatabase(binding), end };
}
const MEMBER = makeUpload("med_1", "member:ws_1:usr_1", "session:hash");

it.each([
  ["arrived before its session ended", "session:hash", CREATED + 9, CREATED + 8, false],
  ["arrived in the same millisecond", "session:hash", CREATED + 9, CREATED + 9, true],
  ["arrived after its session ended", "session:hash", CREATED + 9, CREATED + 10, true],
  ["arrived after its member was removed", "member:ws_1:usr_1", CREATED + 9, CREATED + 10, true],
  ["has not arrived when its member is removed", "member:ws_1:usr_1", CREATED + 9, null, true],
  [
    "belongs to a member who was removed long before and returned",
    "member:ws_1:usr_1",
    CREATED - 60_000,
    CREATED,
    false,
  ],
  ["belongs to another member than the removed one", "member:ws_1:usr_2", CREATED + 9, CREATED + 10, false],
])(
  "findLateUploads finds an upload only if it is late: it %s",
  async (_upload, holder, endedAt, uploadedAt, isLate) => {
    const { db, end } = setUpDatabase();
    end(holder, endedAt);
    expect(await findLateUploads(db, [{ row: MEMBER, uploadedAt }])).toEqual(new Set(isLate ? ["med_1"] : []));
  },
);

it("an inspected upload and one without an uploader are never late", async () => {
  const { db, end } = setUpDatabase();
  end("member:ws_1:usr_1", CREATED + 1);
  const rows = [{ ...MEMBER, etag: "1" }, { ...MEMBER, state: "ready" as const }, makeUpload("med_2", null)];
  expect(
    await findLateUploads(
      db,
      rows.map((row) => ({ row, uploadedAt: CREATED + 2 })),
    ),
  ).toEqual(new Set());
});

it("an upload is late if it arrived after its key had expired", async () => {
  const { raw, db } = setUpDatabase();
  raw.exec("INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_1', 'Ada', 'free', 0)");
  raw.exec(`INSERT INTO named_keys (workspace_id, id, name, hash, start, scopes, created_by, created_at, expires_at)
    VALUES ('ws_1', 'key_1', 'CI', 'h', '', '["draft"]', 'usr_1', 0, ${CREATED + 5})`);
  const row = makeUpload("med_1", "key:ws_1:key_1");
  expect(await findLateUploads(db, [{ row, uploadedAt: CREATED + 4 }])).toEqual(new Set());
  expect(await findLateUploads(db, [{ row, uploadedAt: CREATED + 6 }])).toEqual(new Set(["med_1"]));
});

it("findLateUploads can check as many uploads as a sweep or an import has", async () => {
  const { db, end } = setUpDatabase();
  end("session:hash", CREATED + 1);
  const arrivals = Array.from({ length: 10_000 }, (_, i) => ({
    row: makeUpload(`med_${i}`, "member:ws_1:usr_1", i % 2 === 0 ? "session:hash" : "session:other"),
    uploadedAt: CREATED + 2,
  }));
  expect((await findLateUploads(db, arrivals)).size).toBe(5_000);
});

it("ended rights are deleted once no earlier upload can arrive any more", async () => {
  const { raw, db, end } = setUpDatabase();
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
