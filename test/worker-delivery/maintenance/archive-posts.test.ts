// Old finished posts are moved from the database to the archive, completely.
import { expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { type ArchiveCursors, archivePosts } from "../../../src/maintenance/archive-posts.ts";
import { deleteWorkspaceData } from "../../../src/maintenance/delete-workspace-data.ts";
import { countedDatabase } from "../../support/counted-db.ts";
import { testEnv } from "../../support/env.ts";
import { brokenInvariants } from "../../support/invariants.ts";
import { call } from "../../support/world.ts";
import {
  BUCKET,
  checkPosts,
  DAY,
  getPostIds,
  insertComment,
  insertPosts,
  type OldPost,
  readArchive,
  runArchive,
  startOfWorkspace,
  withWorld,
  world,
} from "./archive.ts";

withWorld();

it("archives posts that are older than the retention by workspace and month, with their metrics", async () => {
  const [first, second, third, young] = await insertPosts([{ days: 100 }, { days: 100 }, { days: 70 }, { days: 61 }]);
  await testEnv.DB.prepare("INSERT INTO published_counts VALUES (?, ?, ?)")
    .bind(world.workspace, Math.floor(Date.now() / DAY) - 100, '{"telegram":2}')
    .run();
  await runArchive();
  expect(await getPostIds()).toEqual([young]);
  const files = await readArchive();
  expect(files.flatMap(({ lines }) => lines.map(({ id }) => id)).sort()).toEqual([first, second, third].sort());
  const month = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 7);
  expect(files.map(({ key }) => key.split("/").slice(0, 3).join("/")).sort()).toEqual(
    [`archive/${world.workspace}/${month(100)}`, `archive/${world.workspace}/${month(70)}`].sort(),
  );
  expect(files[0]?.lines[0]).toMatchObject({
    workspace: world.workspace,
    status: "published",
    text: "said long ago",
    metadata: { n: "1" },
    deliveries: [{ status: "live", url: "https://t.me/x/1", network_id: "net", figures: { views: { value: 7 } } }],
  });
  expect((await call("GET", `/v1/posts/${first}`, { token: world.key })).status).toBe(404);
  const days = testEnv.DB.prepare("SELECT COUNT(*) AS n FROM published_counts WHERE workspace_id = ?");
  expect(await days.bind(world.workspace).first("n")).toBe(1);
  await checkPosts([first, second, third, young].map(String), [String(young)]);
});

it("archives the comments on a post with it, oldest first, and deletes them from the database", async () => {
  const [discussed = "", other = ""] = await insertPosts([{ days: 70 }, { days: 70 }]);
  await insertComment(discussed, "Is the picture final?");
  await insertComment(discussed, "It is.");
  await runArchive();
  const lines = (await readArchive()).flatMap((file) => file.lines);
  expect(lines.find(({ id }) => id === discussed)?.comments).toMatchObject([
    { text: "Is the picture final?", by: "Clara", author: { kind: "reviewer" } },
    { text: "It is.", by: "Clara" },
  ]);
  expect(lines.find(({ id }) => id === other)?.comments).toEqual([]);
  await checkPosts([discussed, other], []);
});

it("keeps a post that is commented on while its file is written, and archives it with the comment later", async () => {
  const [id = ""] = await insertPosts([{ days: 70 }]);
  const bucket = new Proxy(BUCKET, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...input: unknown[]) => {
        const answer: unknown = await Reflect.apply(value, target, input);
        if (name === "put") await insertComment(id, "Just in time.");
        return answer;
      };
    },
  });
  await runArchive({ bucket });
  expect(await getPostIds()).toEqual([id]);
  await runArchive();
  expect(await getPostIds()).toEqual([]);
  const copies = (await readArchive()).flatMap((file) => file.lines);
  expect(copies.map(({ comments }) => comments.length).sort()).toEqual([0, 1]);
});

it.each<[string, OldPost]>([
  ["is a draft", { days: 200, status: "draft" }],
  ["is scheduled", { days: 200, status: "scheduled", state: "pending", nextAt: Date.now() + DAY }],
  ["waits for a retry", { days: 200, status: "scheduled", state: "retry_wait", nextAt: Date.now() + DAY }],
  ["has a delivery that is still rechecked", { days: 200, checkAt: Date.now() + DAY }],
  ["finished too recently", { days: 61 }],
])("keeps a post that %s", async (_, old) => {
  const [stays = "", goes = ""] = await insertPosts([old, { days: 70 }]);
  await runArchive();
  expect(await getPostIds()).toEqual([stays]);
  await checkPosts([stays, goes], [stays]);
});

it.each([
  ["without RETENTION_MONTHS", { months: "" }],
  ["within the retention months", { months: "24" }],
])("archives nothing %s", async (_, options) => {
  const ids = await insertPosts([{ days: 500 }]);
  await runArchive(options);
  expect(await getPostIds()).toEqual(ids);
  expect(await readArchive()).toEqual([]);
});

it("archives nothing without a bucket", async () => {
  const ids = await insertPosts([{ days: 500 }]);
  const ctx = compose({ ...testEnv, MEDIA: undefined, RETENTION_MONTHS: "2" }, () => {});
  await archivePosts(ctx, ctx.accounts, { archive: startOfWorkspace() });
  expect(await getPostIds()).toEqual(ids);
});

it("deletes the archive of an erased workspace", async () => {
  await insertPosts([{ days: 70 }]);
  await runArchive();
  expect(await readArchive()).toHaveLength(1);
  expect((await call("DELETE", "/v1/auth/me", { token: world.session })).status).toBe(204);
  await deleteWorkspaceData(
    compose(testEnv, () => {}),
    world.workspace,
  );
  expect(await readArchive()).toEqual([]);
});

it("archives a bounded number of posts per sweep, even of long ones, and continues in the next sweep", async () => {
  const many = await insertPosts(Array.from({ length: 450 }, (_, i) => ({ days: 300 - i / 10 })));
  const long: string[] = [];
  for (let i = 0; i < 12; i++)
    long.push(...(await insertPosts([{ days: 100 - i / 10, text: "x".repeat(1024 * 1024) }])));
  const cursors: ArchiveCursors = { archive: startOfWorkspace() };
  const { db, use } = countedDatabase(testEnv.DB);
  await runArchive({ cursors, db });
  expect(use.roundTrips).toBeLessThanOrEqual(60);
  for (let sweeps = 0; sweeps < 10 && cursors.archive !== null; sweeps++) await runArchive({ cursors });
  expect(await getPostIds()).toEqual([]);
  const files = await readArchive();
  for (const { lines } of files) expect(lines.length).toBeLessThanOrEqual(200);
  const withLong = files.filter(({ lines }) => lines.some(({ id }) => long.includes(id)));
  expect(withLong.length).toBeGreaterThanOrEqual(4);
  await checkPosts([...many, ...long], []);
});

it("reads no post of a workspace that has nothing old, however many posts it has", async () => {
  await insertPosts(Array.from({ length: 1_000 }, () => ({ days: 1 })));
  const { db, use } = countedDatabase(testEnv.DB);
  const before = await testEnv.DB.prepare("SELECT MAX(id) AS id FROM workspaces WHERE id < ?")
    .bind(world.workspace)
    .first("id");
  // The walk starts after the last possible post of the previous workspace, because another file may have filled it.
  await runArchive({ db, cursors: { archive: { workspaceId: String(before), postId: "~" } } });
  expect(use.rowsWritten).toBe(0);
  expect(use.rowsRead).toBeLessThan(100);
});

it("breaks no invariant after archiving", async () => {
  await insertPosts([{ days: 100 }, { days: 100 }]);
  await runArchive();
  expect(await getPostIds()).toEqual([]);
  await testEnv.DB.prepare("INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, ?, 2)")
    .bind(world.workspace, new Date(Date.now() - 100 * DAY).toISOString().slice(0, 7))
    .run();
  expect(await brokenInvariants(world.workspace)).toEqual([]);
});
