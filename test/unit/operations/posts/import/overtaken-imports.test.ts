// Imports that are overtaken between reading and writing create nothing twice, and each unwritten row has a reason.
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
import { setUpImport } from "./importing.ts";

type Here = Awaited<ReturnType<typeof setUpImport>>;
const FREE = { workspace: { plan: "free" } };
const { posts_per_month: postsMax, drafts: draftsMax } = getPlan("free");

/** Reads the material of an import, runs `meanwhile`, and then runs the import. */
async function overtake(
  makeLines: (here: Here) => string[] | Promise<string[]>,
  meanwhile: (here: Here, lines: string[]) => Promise<unknown>,
  { key = null, ...parts }: Parameters<typeof setUpImport>[0] & { key?: string | null } = {},
) {
  const setup = await setUpImport(parts);
  const { ctx, workspaceId, keyCaller } = setup;
  const lines = await makeLines(setup);
  const body = { type: "text/csv", text: lines.join("\n") };
  const raw = { params: undefined, query: { partial: "true" }, body, idempotencyKey: key };
  const input = parseInput(operations["posts.import"], raw);
  const material = await ask(db, importPosts.read(ctx, db, workspaceId, input));
  await meanwhile(setup, lines);
  const reply = await importPosts.run(ctx, inWorkspace(keyCaller("key_1")), input, material);
  return { ...setup, body: operations["posts.import"].result.parse(reply.body) };
}
const twoPosts = ({ bothChannels }: Here) => ["text,channels", `a,${bothChannels}`, `b,${bothChannels}`];

describe("an import that others overtake", () => {
  it("an import that the same import overtakes creates nothing, and returns the existing posts", async () => {
    const again = ({ csv }: Here, lines: string[]) => csv(lines, { key: "once" });
    const { body, readPosts } = await overtake(twoPosts, again, { key: "once" });
    expect(body).toMatchObject({ valid: 2, created: 2 });
    expect((await readPosts()).map(({ id }) => id).toSorted()).toEqual(
      body.rows.map(({ post }) => post?.id).toSorted(),
    );
  });

  it("an import that a part of the same import overtakes creates the missing posts", async () => {
    const importHalf = ({ csv }: Here, lines: string[]) => csv(lines.slice(0, 2), { key: "once" });
    const { body, readInOrder } = await overtake(twoPosts, importHalf, { key: "once" });
    expect(body).toMatchObject({ created: 2 });
    expect((await readInOrder()).map(({ text }) => text)).toEqual(["a", "b"]);
  });

  it("an overtaken import returns the existing post even if it was the last one of the month", async () => {
    const fill = async ({ csv, create }: Here, lines: string[]) => {
      for (let i = 1; i < (postsMax ?? 0); i++) await create({ text: `post ${i}` });
      await csv(lines, { key: "once" });
    };
    const onePost = ({ bothChannels }: Here) => ["text,channels", `a,${bothChannels}`];
    const { body, readPosts } = await overtake(onePost, fill, { ...FREE, key: "once" });
    expect(body).toMatchObject({ valid: 1, created: 1 });
    expect(await readPosts()).toHaveLength(postsMax ?? 0);
  });

  it("an import leaves out the rows for which the month has no more room, with the reason", async () => {
    const fill = ({ workspaceId }: Here) =>
      db.insert(usageMonths).values({ workspaceId, month: formatMonth(NOW), posts: (postsMax ?? 0) - 1 });
    const { body, readPosts } = await overtake(twoPosts, fill, FREE);
    expect(body).toMatchObject({ valid: 1, invalid: 1, created: 1 });
    expect(body.rows[1]?.violations).toMatchObject([{ code: "plan_limit", message: expect.stringContaining("posts") }]);
    expect(body.rows[1]?.violations[0]?.hint).toBeDefined();
    expect(await readPosts()).toMatchObject([{ text: "a" }]);
  });

  it("an import leaves out the drafts for which the plan has no more room, with the reason", async () => {
    const drafts = ({ bothChannels }: Here) => ["text,channels,draft", `a,${bothChannels},true`];
    const fill = ({ workspaceId }: Here) =>
      db
        .update(workspaces)
        .set({ drafts: draftsMax ?? 0 })
        .where(eq(workspaces.id, workspaceId));
    const { body, readPosts } = await overtake(drafts, fill, FREE);
    expect(body.rows[0]?.violations).toMatchObject([
      { code: "plan_limit", message: expect.stringContaining("drafts") },
    ]);
    expect(await readPosts()).toEqual([]);
  });

  it("an import leaves out the rows that exceed a used-up budget, with the reason, and keeps drafts", async () => {
    const onX = { channel: { platform: "x" } };
    const rows = ({ first }: Here) => ["text,channels,draft", `a,${first},`, `b,${first},true`];
    const shrink = ({ workspaceId }: Here) =>
      db.update(workspaces).set({ budget: 1 }).where(eq(workspaces.id, workspaceId));
    const { body, readPosts } = await overtake(rows, shrink, { ...onX, workspace: { budget: 1_000_000 } });
    expect(body.rows).toMatchObject([{ post: { text: "a" } }, { post: { status: "draft" } }]);
    const spend = async ({ create, first }: Here) => create({ channels: [first], text: "other" });
    const postAndDraft = ({ first }: Here) => ["text,channels,draft", `a,${first},`, `b,${first},true`];
    const [delivery] = Object(
      (await (await setUpImport(onX)).create({ dry_run: true, text: "other" })).body,
    ).deliveries;
    const cost = Math.round(1_000_000 * delivery.estimated_cost_usd);
    const full = await overtake(postAndDraft, spend, { ...onX, workspace: { budget: cost } });
    expect(full.body.rows).toMatchObject([
      { violations: [{ code: "plan_limit", message: expect.stringContaining("budget") }], post: null },
      { violations: [], post: { status: "draft" } },
    ]);
    expect(await readPosts()).toHaveLength(2);
  });

  it("an import leaves out a row whose file was deleted, with the column", async () => {
    const withFile = async ({ call, bothChannels }: Here) => {
      const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
      return ["text,channels,media", `a,${bothChannels},${body.id}`, `b,${bothChannels},`];
    };
    const remove = ({ workspaceId }: Here) => db.delete(media).where(eq(media.workspaceId, workspaceId));
    const { body, readPosts } = await overtake(withFile, remove);
    expect(body.rows[0]?.violations).toMatchObject([{ code: "unknown_media", field: "/media/0", column: "media" }]);
    expect(await readPosts()).toMatchObject([{ text: "b" }]);
  });
});
