// Finished posts leave the database for the archive: whole, once they are old.
import { expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { type ArchivePlaces, archivePosts } from "../../../src/maintenance/archive-posts.ts";
import { deleteWorkspaceData } from "../../../src/maintenance/delete-workspace-data.ts";
import { countedDatabase } from "../../support/counted-db.ts";
import { testEnv } from "../../support/env.ts";
import { brokenInvariants } from "../../support/invariants.ts";
import { call } from "../../support/world.ts";
import { archive, at, DAY, judge, left, type Old, run, withPosts, withWorld, world } from "./archive.ts";

withWorld();

it("posts that finished longer ago than they are kept go, by workspace and month, with what was counted of them", async () => {
  const [first, second, third, young] = await withPosts([{ days: 100 }, { days: 100 }, { days: 70 }, { days: 61 }]);
  await testEnv.DB.prepare("INSERT INTO published_counts VALUES (?, ?, ?)")
    .bind(world.workspace, Math.floor(Date.now() / DAY) - 100, '{"telegram":2}')
    .run();
  await run();
  expect(await left()).toEqual([young]);
  const files = await archive();
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
  await judge([first, second, third, young].map(String), [String(young)]);
});

it.each<[string, Old]>([
  ["is a draft", { days: 200, status: "draft" }],
  ["waits for its time", { days: 200, status: "scheduled", state: "pending", nextAt: Date.now() + DAY }],
  ["is tried again", { days: 200, status: "scheduled", state: "retry_wait", nextAt: Date.now() + DAY }],
  ["has a delivery that is still verified", { days: 200, checkAt: Date.now() + DAY }],
  ["has not finished long enough ago", { days: 61 }],
])("a post stays that %s", async (_, old) => {
  const [stays = "", goes = ""] = await withPosts([old, { days: 70 }]);
  await run();
  expect(await left()).toEqual([stays]);
  await judge([stays, goes], [stays]);
});

it.each([
  ["without RETENTION_MONTHS", { months: "" }],
  ["within the months", { months: "24" }],
])("nothing goes %s", async (_, parts) => {
  const ids = await withPosts([{ days: 500 }]);
  await run(parts);
  expect(await left()).toEqual(ids);
  expect(await archive()).toEqual([]);
});

it("nothing goes while there is no bucket", async () => {
  const ids = await withPosts([{ days: 500 }]);
  const ctx = compose({ ...testEnv, MEDIA: undefined, RETENTION_MONTHS: "2" }, () => {});
  await archivePosts(ctx, ctx.accounts, { archive: at() });
  expect(await left()).toEqual(ids);
});

it("an erased workspace takes its archive along", async () => {
  await withPosts([{ days: 70 }]);
  await run();
  expect(await archive()).toHaveLength(1);
  expect((await call("DELETE", "/v1/auth/me", { token: world.session })).status).toBe(204);
  await deleteWorkspaceData(
    compose(testEnv, () => {}),
    world.workspace,
  );
  expect(await archive()).toEqual([]);
});

it("a sweep takes a bounded number, also of long posts, and the next one goes on where it was", async () => {
  const many = await withPosts(Array.from({ length: 450 }, (_, i) => ({ days: 300 - i / 10 })));
  const long: string[] = [];
  for (let i = 0; i < 12; i++) long.push(...(await withPosts([{ days: 100 - i / 10, text: "x".repeat(1024 * 1024) }])));
  const places: ArchivePlaces = { archive: at() };
  const { db, use } = countedDatabase(testEnv.DB);
  await run({ places, db });
  expect(use.roundTrips).toBeLessThanOrEqual(60);
  for (let sweeps = 0; sweeps < 10 && places.archive !== null; sweeps++) await run({ places });
  expect(await left()).toEqual([]);
  const files = await archive();
  for (const { lines } of files) expect(lines.length).toBeLessThanOrEqual(200);
  const withLong = files.filter(({ lines }) => lines.some(({ id }) => long.includes(id)));
  expect(withLong.length).toBeGreaterThanOrEqual(4);
  await judge([...many, ...long], []);
});

it("of workspaces that have nothing old a sweep reads no post, however many are young", async () => {
  await withPosts(Array.from({ length: 1_000 }, () => ({ days: 1 })));
  const { db, use } = countedDatabase(testEnv.DB);
  const before = await testEnv.DB.prepare("SELECT MAX(id) AS id FROM workspaces WHERE id < ?")
    .bind(world.workspace)
    .first("id");
  // Behind the last possible post of the workspace before, which another file may have filled.
  await run({ db, places: { archive: { workspaceId: String(before), postId: "~" } } });
  expect(use.rowsWritten).toBe(0);
  expect(use.rowsRead).toBeLessThan(100);
});

it("the workspace keeps every promise afterwards", async () => {
  await withPosts([{ days: 100 }, { days: 100 }]);
  await run();
  expect(await left()).toEqual([]);
  await testEnv.DB.prepare("INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, ?, 2)")
    .bind(world.workspace, new Date(Date.now() - 100 * DAY).toISOString().slice(0, 7))
    .run();
  expect(await brokenInvariants(world.workspace)).toEqual([]);
});
