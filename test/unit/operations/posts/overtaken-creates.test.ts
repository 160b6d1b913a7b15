// Posts whose creation is overtaken between its reading and its writing, or whose answer of the database is lost.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { operations } from "../../../../src/contract/index.ts";
import { getPlan } from "../../../../src/domain/plan.ts";
import { inWorkspace } from "../../../../src/operations/caller.ts";
import { createPost } from "../../../../src/operations/posts/create.ts";
import { parseInput } from "../../../../src/operations/run.ts";
import { ask } from "../../../../src/store/db/batch.ts";
import { openDatabase } from "../../../../src/store/db/db.ts";
import { media, workspaces } from "../../../../src/store/db/schema.ts";
import { type Break, breakingDatabase } from "../../../support/breaking-db.ts";
import { bindingOfTests, db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

type Workspace = Awaited<ReturnType<typeof workspaceOfTwo>>;
type Parts = NonNullable<Parameters<typeof workspaceOfTwo>[0]>;
const { posts_per_month: postsMax, drafts: draftsMax } = getPlan("free");
const CHANGED = "unknown_media";

/** Reads for a post with this body, lets `meanwhile` happen, and has it made. */
async function overtaken(
  body: object | ((workspace: Workspace) => Promise<object>),
  meanwhile: (workspace: Workspace) => Promise<unknown>,
  { key = null, ...parts }: Parts & { key?: string | null } = {},
) {
  const workspace = await workspaceOfTwo(parts);
  const { ctx, workspaceId, first, second, keyCaller } = workspace;
  const own = typeof body === "function" ? await body(workspace) : body;
  const raw = {
    params: {},
    query: {},
    body: { text: "hello", channels: [first, second], ...own },
    idempotencyKey: key,
  };
  const input = parseInput(operations["posts.create"], raw);
  const found = await ask(db, createPost.read(ctx, db, workspaceId, input));
  await meanwhile(workspace);
  return { ...workspace, make: () => createPost.run(ctx, inWorkspace(keyCaller("key_1")), input, found) };
}

/** Makes as many posts as the month has room for. */
const fillMonth = async ({ create }: Workspace) => {
  for (let i = 0; i < (postsMax ?? 0); i++) await create({ text: `post ${i}` });
};

describe("a post that others overtake", () => {
  const free = { workspace: { plan: "free" } };

  it("is refused when they take the last post of the month", async () => {
    const { make, readPosts } = await overtaken({}, fillMonth, free);
    const full = await refusal(make());
    expect([full.code, full.detail.extra]).toMatchObject([
      "plan_limit",
      { limit: "posts_per_month", used: postsMax, allowed: postsMax },
    ]);
    expect(await readPosts()).toHaveLength(postsMax ?? 0);
  });

  it("is refused when they take the last draft", async () => {
    const takeDrafts = ({ workspaceId }: Workspace) =>
      db
        .update(workspaces)
        .set({ drafts: draftsMax ?? 0 })
        .where(eq(workspaces.id, workspaceId));
    const { make, readPosts } = await overtaken({ draft: true }, takeDrafts, free);
    expect((await refusal(make())).detail.extra).toMatchObject({ limit: "drafts", used: draftsMax });
    expect(await readPosts()).toEqual([]);
  });

  it("is answered with their post when they took the last place under the same key", async () => {
    const meanwhile = async (workspace: Workspace) => {
      for (let i = 1; i < (postsMax ?? 0); i++) await workspace.create({ text: `post ${i}` });
      await workspace.create({}, { key: "once" });
    };
    const { make, readPosts } = await overtaken({}, meanwhile, { ...free, key: "once" });
    expect(await make()).toMatchObject({ status: 200, replayed: true, body: { text: "hello" } });
    expect(await readPosts()).toHaveLength(postsMax ?? 0);
  });

  it("is refused when they take the rest of its budget", async () => {
    const onX = { channel: { platform: "x" } };
    const { body } = await (await workspaceOfTwo(onX)).create({ dry_run: true });
    const [delivery] = Object(body.deliveries);
    const ofBoth = { budget: Math.round(2_000_000 * delivery.estimated_cost_usd) };
    const another = ({ create }: Workspace) => create({ text: "hallo" });
    const { make, readPosts } = await overtaken({}, another, { ...onX, workspace: ofBoth });
    const full = await refusal(make());
    expect(full.detail.extra).toMatchObject({ limit: "budget", budget_of: "workspace" });
    expect(await readPosts()).toHaveLength(1);
  });

  it.each([
    ["a draft", { draft: true }],
    ["a post", {}],
  ])("as %s is refused when they delete a file of it", async (_what, more) => {
    const withFile = async ({ call }: Workspace) => {
      const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
      return { ...more, media: [body.id] };
    };
    const removeAll = ({ workspaceId }: Workspace) => db.delete(media).where(eq(media.workspaceId, workspaceId));
    const { make, readPosts } = await overtaken(withFile, removeAll);
    const gone = await refusal(make());
    expect([gone.code, gone.detail.field]).toEqual([CHANGED, "/media/0"]);
    expect(await readPosts()).toEqual([]);
  });
});

describe("a post whose answer of the database is lost", () => {
  async function broken(how: Partial<Break>) {
    const breaking = breakingDatabase(bindingOfTests(), {
      call: 1,
      of: /insert into "posts"/,
      committed: true,
      how: "once",
      ...how,
    });
    const lossy = openDatabase(breaking.db);
    return workspaceOfTwo({ outside: { databaseOf: () => lossy } });
  }

  it.each([null, "once"])("is found by its id, and its publishers look for it (key: %s)", async (key) => {
    const { create, readPosts, armed } = await broken({});
    const { status, body } = await create({}, key === null ? {} : { key });
    expect([status, body.status]).toEqual([201, "queued"]);
    expect(await readPosts()).toMatchObject([{ id: body.id }]);
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
  });

  it("and is a draft wakes nobody", async () => {
    const { create, armed } = await broken({});
    expect((await create({ draft: true })).body).toMatchObject({ status: "draft" });
    expect(armed).toEqual([]);
  });

  it("and was not written is not sent a second time, and its publishers look for nothing", async () => {
    const { create, readPosts, armed } = await broken({ committed: false });
    await expect(create()).rejects.toThrow();
    expect(await readPosts()).toEqual([]);
    expect(armed).toHaveLength(2);
  });

  it("and was refused for good wakes nobody", async () => {
    const { create, readPosts, armed } = await broken({
      committed: false,
      text: "D1_ERROR: string or blob too big: SQLITE_TOOBIG",
    });
    await expect(create()).rejects.toThrow();
    expect([await readPosts(), armed]).toEqual([[], []]);
  });
});
