// Posts whose creation is overtaken between reading and writing, or loses the answer of the database.
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
import { db, makeBinding, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

type Workspace = Awaited<ReturnType<typeof setUpWorkspace>>;
type Parts = NonNullable<Parameters<typeof setUpWorkspace>[0]>;
const { posts_per_month: postsMax, drafts: draftsMax } = getPlan("free");
const CHANGED = "unknown_media";

/** Reads the material of a new post, runs `meanwhile`, and returns the creation as `make`. */
async function overtake(
  body: object | ((workspace: Workspace) => Promise<object>),
  meanwhile: (workspace: Workspace) => Promise<unknown>,
  { key = null, ...parts }: Parts & { key?: string | null } = {},
) {
  const workspace = await setUpWorkspace(parts);
  const { ctx, workspaceId, first, second, keyCaller } = workspace;
  const fields = typeof body === "function" ? await body(workspace) : body;
  const raw = {
    params: {},
    query: {},
    body: { text: "hello", channels: [first, second], ...fields },
    idempotencyKey: key,
  };
  const input = parseInput(operations["posts.create"], raw);
  const material = await ask(db, createPost.read(ctx, db, workspaceId, input));
  await meanwhile(workspace);
  return { ...workspace, make: () => createPost.run(ctx, inWorkspace(keyCaller("key_1")), input, material) };
}

/** Creates as many posts as the month allows. */
const fillMonth = async ({ create }: Workspace) => {
  for (let i = 0; i < (postsMax ?? 0); i++) await create({ text: `post ${i}` });
};

describe("a post that others overtake", () => {
  const freePlan = { workspace: { plan: "free" } };

  it("a post is refused if others use up the month in the meantime", async () => {
    const { make, readPosts } = await overtake({}, fillMonth, freePlan);
    const full = await catchRefusal(make());
    expect([full.code, full.detail.extra]).toMatchObject([
      "plan_limit",
      { limit: "posts_per_month", used: postsMax, allowed: postsMax },
    ]);
    expect(await readPosts()).toHaveLength(postsMax ?? 0);
  });

  it("a draft is refused if others use up the drafts in the meantime", async () => {
    const takeDrafts = ({ workspaceId }: Workspace) =>
      db
        .update(workspaces)
        .set({ drafts: draftsMax ?? 0 })
        .where(eq(workspaces.id, workspaceId));
    const { make, readPosts } = await overtake({ draft: true }, takeDrafts, freePlan);
    expect((await catchRefusal(make())).detail.extra).toMatchObject({ limit: "drafts", used: draftsMax });
    expect(await readPosts()).toEqual([]);
  });

  it("a post is answered with the existing one if a call under the same key used up the month", async () => {
    const meanwhile = async (workspace: Workspace) => {
      for (let i = 1; i < (postsMax ?? 0); i++) await workspace.create({ text: `post ${i}` });
      await workspace.create({}, { key: "once" });
    };
    const { make, readPosts } = await overtake({}, meanwhile, { ...freePlan, key: "once" });
    expect(await make()).toMatchObject({ status: 200, replayed: true, body: { text: "hello" } });
    expect(await readPosts()).toHaveLength(postsMax ?? 0);
  });

  it("a post is refused if others use up its budget in the meantime", async () => {
    const onX = { channel: { platform: "x" } };
    const { body } = await (await setUpWorkspace(onX)).create({ dry_run: true });
    const [delivery] = Object(body.deliveries);
    const budgetOfTwo = { budget: Math.round(2_000_000 * delivery.estimated_cost_usd) };
    const another = ({ create }: Workspace) => create({ text: "hallo" });
    const { make, readPosts } = await overtake({}, another, { ...onX, workspace: budgetOfTwo });
    const full = await catchRefusal(make());
    expect(full.detail.extra).toMatchObject({ limit: "budget", budget_of: "workspace" });
    expect(await readPosts()).toHaveLength(1);
  });

  it.each([
    ["a draft", { draft: true }],
    ["a post", {}],
  ])("%s is refused if its file is deleted in the meantime", async (_kind, draftFields) => {
    const withFile = async ({ call }: Workspace) => {
      const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
      return { ...draftFields, media: [body.id] };
    };
    const removeAll = ({ workspaceId }: Workspace) => db.delete(media).where(eq(media.workspaceId, workspaceId));
    const { make, readPosts } = await overtake(withFile, removeAll);
    const refused = await catchRefusal(make());
    expect([refused.code, refused.detail.field]).toEqual([CHANGED, "/media/0"]);
    expect(await readPosts()).toEqual([]);
  });
});

describe("a post whose answer of the database is lost", () => {
  async function setUpBroken(breakOptions: Partial<Break>) {
    const breaking = breakingDatabase(makeBinding(), {
      call: 1,
      of: /insert into "posts"/,
      committed: true,
      how: "once",
      ...breakOptions,
    });
    const lossy = openDatabase(breaking.db);
    return setUpWorkspace({ outside: { databaseOf: () => lossy } });
  }

  it.each([null, "once"])(
    "a post whose answer is lost is found by its id, and its publishers are woken (key: %s)",
    async (key) => {
      const { create, readPosts, armed } = await setUpBroken({});
      const { status, body } = await create({}, key === null ? {} : { key });
      expect([status, body.status]).toEqual([201, "queued"]);
      expect(await readPosts()).toMatchObject([{ id: body.id }]);
      expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
    },
  );

  it("a draft whose answer is lost wakes no publishers", async () => {
    const { create, armed } = await setUpBroken({});
    expect((await create({ draft: true })).body).toMatchObject({ status: "draft" });
    expect(armed).toEqual([]);
  });

  it("a post that was not written fails, and its woken publishers find nothing", async () => {
    const { create, readPosts, armed } = await setUpBroken({ committed: false });
    await expect(create()).rejects.toThrow();
    expect(await readPosts()).toEqual([]);
    expect(armed).toHaveLength(2);
  });

  it("a post that the database refuses wakes no publishers", async () => {
    const { create, readPosts, armed } = await setUpBroken({
      committed: false,
      text: "D1_ERROR: string or blob too big: SQLITE_TOOBIG",
    });
    await expect(create()).rejects.toThrow();
    expect([await readPosts(), armed]).toEqual([[], []]);
  });
});
