// Imports that others overtake between the reading and the writing: nothing is made twice, and each row that is not written says why.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { operations } from "../../../../../src/contract/index.ts";
import { formatMonth } from "../../../../../src/domain/instant.ts";
import { getPlan } from "../../../../../src/domain/plan.ts";
import { inWorkspace } from "../../../../../src/operations/caller.ts";
import { importPosts } from "../../../../../src/operations/posts/import/import.ts";
import { parseInput } from "../../../../../src/operations/run.ts";
import { ask } from "../../../../../src/store/db/batch.ts";
import { media, usageMonths, workspaces } from "../../../../../src/store/db/schema.ts";
import { db, NOW } from "../../../store/deliveries/stored-delivery.ts";
import { importing } from "./importing.ts";

type Here = Awaited<ReturnType<typeof importing>>;
const FREE = { workspace: { plan: "free" } };
const { posts_per_month: postsMax, drafts: draftsMax } = getPlan("free");

/** Reads for an import of these lines, lets `meanwhile` happen, and carries it out. */
async function overtaken(
  linesOf: (here: Here) => string[] | Promise<string[]>,
  meanwhile: (here: Here, lines: string[]) => Promise<unknown>,
  { key = null, ...parts }: Parameters<typeof importing>[0] & { key?: string | null } = {},
) {
  const here = await importing(parts);
  const { ctx, workspaceId, keyCaller } = here;
  const lines = await linesOf(here);
  const body = { type: "text/csv", text: lines.join("\n") };
  const raw = { params: undefined, query: { partial: "true" }, body, idempotencyKey: key };
  const input = parseInput(operations["posts.import"], raw);
  const found = await ask(db, importPosts.read(ctx, db, workspaceId, input));
  await meanwhile(here, lines);
  const reply = await importPosts.run(ctx, inWorkspace(keyCaller("key_1")), input, found);
  return { ...here, body: operations["posts.import"].result.parse(reply.body) };
}
const twoPosts = ({ both }: Here) => ["text,channels", `a,${both}`, `b,${both}`];

describe("an import that others overtake", () => {
  it("under the same key makes nothing twice, and is answered with what they made", async () => {
    const again = ({ csv }: Here, lines: string[]) => csv(lines, { key: "once" });
    const { body, readPosts } = await overtaken(twoPosts, again, { key: "once" });
    expect(body).toMatchObject({ valid: 2, created: 2 });
    expect((await readPosts()).map(({ id }) => id).toSorted()).toEqual(
      body.rows.map(({ post }) => post?.id).toSorted(),
    );
  });

  it("under the same key makes what they have not made", async () => {
    const half = ({ csv }: Here, lines: string[]) => csv(lines.slice(0, 2), { key: "once" });
    const { body, readInOrder } = await overtaken(twoPosts, half, { key: "once" });
    expect(body).toMatchObject({ created: 2 });
    expect((await readInOrder()).map(({ text }) => text)).toEqual(["a", "b"]);
  });

  it("under the same key finds their post though they took the last place of the month", async () => {
    const fill = async ({ csv, create }: Here, lines: string[]) => {
      for (let i = 1; i < (postsMax ?? 0); i++) await create({ text: `post ${i}` });
      await csv(lines, { key: "once" });
    };
    const one = ({ both }: Here) => ["text,channels", `a,${both}`];
    const { body, readPosts } = await overtaken(one, fill, { ...FREE, key: "once" });
    expect(body).toMatchObject({ valid: 1, created: 1 });
    expect(await readPosts()).toHaveLength(postsMax ?? 0);
  });

  it("has the rows left out that the month has no room for any more, and says so", async () => {
    const fill = ({ workspaceId }: Here) =>
      db.insert(usageMonths).values({ workspaceId, month: formatMonth(NOW), posts: (postsMax ?? 0) - 1 });
    const { body, readPosts } = await overtaken(twoPosts, fill, FREE);
    expect(body).toMatchObject({ valid: 1, invalid: 1, created: 1 });
    expect(body.rows[1]?.violations).toMatchObject([{ code: "plan_limit", message: expect.stringContaining("posts") }]);
    expect(body.rows[1]?.violations[0]?.hint).toBeDefined();
    expect(await readPosts()).toMatchObject([{ text: "a" }]);
  });

  it("has the rows left out that the drafts have no room for any more, and says so", async () => {
    const drafts = ({ both }: Here) => ["text,channels,draft", `a,${both},true`];
    const fill = ({ workspaceId }: Here) =>
      db
        .update(workspaces)
        .set({ drafts: draftsMax ?? 0 })
        .where(eq(workspaces.id, workspaceId));
    const { body, readPosts } = await overtaken(drafts, fill, FREE);
    expect(body.rows[0]?.violations).toMatchObject([
      { code: "plan_limit", message: expect.stringContaining("drafts") },
    ]);
    expect(await readPosts()).toEqual([]);
  });

  it("has the rows left out that a budget has no room for any more, and drafts are no part of it", async () => {
    const onX = { channel: { platform: "x" } };
    const rows = ({ first }: Here) => ["text,channels,draft", `a,${first},`, `b,${first},true`];
    const shrink = ({ workspaceId }: Here) =>
      db.update(workspaces).set({ budget: 1 }).where(eq(workspaces.id, workspaceId));
    const { body, readPosts } = await overtaken(rows, shrink, { ...onX, workspace: { budget: 1_000_000 } });
    expect(body.rows).toMatchObject([{ post: { text: "a" } }, { post: { status: "draft" } }]);
    const spend = async ({ create, first }: Here) => create({ channels: [first], text: "other" });
    const both = ({ first }: Here) => ["text,channels,draft", `a,${first},`, `b,${first},true`];
    const [delivery] = Object((await (await importing(onX)).create({ dry_run: true, text: "other" })).body).deliveries;
    const cost = Math.round(1_000_000 * delivery.estimated_cost_usd);
    const full = await overtaken(both, spend, { ...onX, workspace: { budget: cost } });
    expect(full.body.rows).toMatchObject([
      { violations: [{ code: "plan_limit", message: expect.stringContaining("budget") }], post: null },
      { violations: [], post: { status: "draft" } },
    ]);
    expect(await readPosts()).toHaveLength(2);
  });

  it("has a row left out whose file they delete, by its column", async () => {
    const withFile = async ({ call, both }: Here) => {
      const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
      return ["text,channels,media", `a,${both},${body.id}`, `b,${both},`];
    };
    const remove = ({ workspaceId }: Here) => db.delete(media).where(eq(media.workspaceId, workspaceId));
    const { body, readPosts } = await overtaken(withFile, remove);
    expect(body.rows[0]?.violations).toMatchObject([{ code: "unknown_media", field: "/media/0", column: "media" }]);
    expect(await readPosts()).toMatchObject([{ text: "b" }]);
  });
});
