// The month ends while posts are created, repeated, cancelled and released. Each post counts in one month, a cancelled post is
// given back to its month, and no month has more posts than its plan allows.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../../src/domain/plan.ts";
import { usageMonths } from "../../../../src/store/db/schema.ts";
import { db } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const FEBRUARY_AT = Date.UTC(2027, 1, 1);
/** The last instant of January. */
const LAST_OF_JANUARY = FEBRUARY_AT - 1;
const LATER = new Date(FEBRUARY_AT + 86_400_000).toISOString();
const MAX = PLANS.free.posts_per_month;

/** Sets up a workspace of the free plan in the last millisecond of January, with `used` posts in the month. */
async function setUpAtTurn(used: number) {
  const workspace = await setUpWorkspace({ workspace: { plan: "free" } });
  const { ctx, workspaceId, create, call, readPosts } = workspace;
  const setClock = (now: number) => {
    ctx.now = () => now;
  };
  setClock(LAST_OF_JANUARY);
  const createPost = (text: string, key?: string) =>
    create({ text, publish_at: LATER }, key === undefined ? {} : { key });
  const ids: string[] = [];
  for (let i = 0; i < used; i++) ids.push(String((await createPost(`post ${i}`)).body.id));
  const readMonths = async () => {
    const rows = await db.select().from(usageMonths).where(eq(usageMonths.workspaceId, workspaceId));
    const months = (await readPosts()).map(({ countedMonth }) => countedMonth);
    for (const { month, posts } of rows)
      expect(months.filter((countedMonth) => countedMonth === month)).toHaveLength(posts);
    return Object.fromEntries(rows.map(({ month, posts }) => [month, posts]));
  };
  const edit = (id: string, body: object) => call("posts.update", { id, body });
  return { ...workspace, setClock, post: createPost, ids, readMonths, edit };
}

describe("at the turn of a month", () => {
  it("a full month refuses posts until its last millisecond, and the next month begins empty", async () => {
    const { post: createPost, setClock, readMonths } = await setUpAtTurn(MAX);
    expect(await catchRefusal(createPost("one more"))).toMatchObject({ status: 402, code: "plan_limit" });
    setClock(FEBRUARY_AT);
    expect((await createPost("one more")).status).toBe(201);
    expect(await readMonths()).toEqual({ "2027-01": MAX, "2027-02": 1 });
  });

  it("a repeat under one idempotency key returns the post of the previous month, and does not count", async () => {
    const { post: createPost, setClock, readMonths } = await setUpAtTurn(MAX - 1);
    const { body } = await createPost("the last", "once");
    setClock(FEBRUARY_AT);
    expect(await createPost("the last", "once")).toMatchObject({ status: 200, replayed: true, body: { id: body.id } });
    expect(await readMonths()).toEqual({ "2027-01": MAX });
    for (let i = 0; i < MAX; i++) await createPost(`february ${i}`);
    expect(await createPost("the last", "once")).toMatchObject({ status: 200, replayed: true, body: { id: body.id } });
    expect(await readMonths()).toEqual({ "2027-01": MAX, "2027-02": MAX });
  });

  it("two simultaneous calls under one idempotency key in different months create one post", async () => {
    const { ctx, post: createPost, readPosts, readMonths } = await setUpAtTurn(MAX - 1);
    // Each call reads a different time.
    const instants = [LAST_OF_JANUARY, FEBRUARY_AT];
    ctx.now = () => instants.shift() ?? FEBRUARY_AT;
    const answers = await Promise.all([createPost("the last", "once"), createPost("the last", "once")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(answers[0]?.body.id).toBe(answers[1]?.body.id);
    expect(await readPosts()).toHaveLength(MAX);
    const months = await readMonths();
    expect(Object.values(months).reduce((sum, posts) => sum + posts, 0)).toBe(MAX);
  });

  it("simultaneous calls for the last post of a month never exceed the limit of a month", async () => {
    const { ctx, post: createPost, readMonths } = await setUpAtTurn(MAX - 1);
    const instants = [LAST_OF_JANUARY, LAST_OF_JANUARY, FEBRUARY_AT, FEBRUARY_AT];
    const next = () => instants.shift() ?? FEBRUARY_AT;
    ctx.now = next;
    const outcomes = await Promise.allSettled(["a", "b", "c", "d"].map((text) => createPost(text)));
    const acceptedCount = outcomes.filter(({ status }) => status === "fulfilled").length;
    const months = await readMonths();
    expect(months["2027-01"]).toBeLessThanOrEqual(MAX);
    expect(Object.values(months).reduce((sum, posts) => sum + posts, 0)).toBe(MAX - 1 + acceptedCount);
    expect(acceptedCount).toBeGreaterThanOrEqual(3);
  });

  it("a cancelled post is given back to the month in which it counted", async () => {
    const { call, ids, post: createPost, setClock, readMonths } = await setUpAtTurn(MAX);
    setClock(FEBRUARY_AT);
    await createPost("february");
    await call("posts.remove", { id: ids[0] ?? "" });
    expect(await readMonths()).toEqual({ "2027-01": MAX - 1, "2027-02": 1 });
    setClock(LAST_OF_JANUARY);
    expect((await createPost("in its place")).status).toBe(201);
    expect(await readMonths()).toEqual({ "2027-01": MAX, "2027-02": 1 });
  });

  it("a month that has been given back its largest number of posts is given back no more, and the next month is", async () => {
    const { workspaceId, call, ids, post: createPost, setClock, readMonths } = await setUpAtTurn(2);
    await db
      .update(usageMonths)
      .set({ givenBack: 3 * MAX })
      .where(eq(usageMonths.workspaceId, workspaceId));
    setClock(FEBRUARY_AT);
    const { body } = await createPost("february");
    await call("posts.remove", { id: ids[0] ?? "" });
    await call("posts.remove", { id: String(body.id) });
    expect(await readMonths()).toEqual({ "2027-01": 2, "2027-02": 0 });
  });

  it("a post that becomes a draft and is released again counts in the month of its release, which must have room", async () => {
    const { edit, ids, post: createPost, setClock, readMonths } = await setUpAtTurn(1);
    const id = ids[0] ?? "";
    setClock(FEBRUARY_AT);
    for (let i = 0; i < MAX; i++) await createPost(`february ${i}`);
    await edit(id, { text: "counted already" });
    await edit(id, { draft: true });
    expect(await readMonths()).toEqual({ "2027-01": 0, "2027-02": MAX });
    expect(await catchRefusal(edit(id, { draft: false }))).toMatchObject({ status: 402, code: "plan_limit" });
    setClock(Date.UTC(2027, 2, 1));
    const march = new Date(Date.UTC(2027, 2, 2)).toISOString();
    expect((await edit(id, { draft: false, publish_at: march })).status).toBe(200);
    expect(await readMonths()).toEqual({ "2027-01": 0, "2027-02": MAX, "2027-03": 1 });
  });
});
