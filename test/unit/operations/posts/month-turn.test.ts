// A month that ends while posts are made, repeated, cancelled and released: each post counts in one month, the month it was taken from
// gets it back, and no month holds more than its plan allows.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { PLANS } from "../../../../src/domain/plan.ts";
import { usageMonths } from "../../../../src/store/db/schema.ts";
import { db } from "../../store/deliveries/stored-delivery.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const FEBRUARY_AT = Date.UTC(2027, 1, 1);
/** The last instant of January. */
const LAST_OF_JANUARY = FEBRUARY_AT - 1;
const LATER = new Date(FEBRUARY_AT + 86_400_000).toISOString();
const MAX = PLANS.free.posts_per_month;

/** A workspace of the free plan in the last millisecond of January, in which `used` places are taken. */
async function workspaceAtTurn(used: number) {
  const workspace = await workspaceOfTwo({ workspace: { plan: "free" } });
  const { ctx, workspaceId, create, call, readPosts } = workspace;
  const setClock = (now: number) => {
    ctx.now = () => now;
  };
  setClock(LAST_OF_JANUARY);
  const post = (text: string, key?: string) => create({ text, publish_at: LATER }, key === undefined ? {} : { key });
  const ids: string[] = [];
  for (let i = 0; i < used; i++) ids.push(String((await post(`post ${i}`)).body.id));
  const readMonths = async () => {
    const rows = await db.select().from(usageMonths).where(eq(usageMonths.workspaceId, workspaceId));
    const held = (await readPosts()).map(({ countedMonth }) => countedMonth);
    for (const { month, posts } of rows) expect(held.filter((one) => one === month)).toHaveLength(posts);
    return Object.fromEntries(rows.map(({ month, posts }) => [month, posts]));
  };
  const edit = (id: string, body: object) => call("posts.update", { id, body });
  return { ...workspace, setClock, post, ids, readMonths, edit };
}

describe("at the turn of a month", () => {
  it("a full month refuses until its last millisecond, and the next one begins empty", async () => {
    const { post, setClock, readMonths } = await workspaceAtTurn(MAX);
    expect(await refusal(post("one more"))).toMatchObject({ status: 402, code: "plan_limit" });
    setClock(FEBRUARY_AT);
    expect((await post("one more")).status).toBe(201);
    expect(await readMonths()).toEqual({ "2027-01": MAX, "2027-02": 1 });
  });

  it("a repeat under one Idempotency-Key is answered with the post of the month before, and counts nowhere", async () => {
    const { post, setClock, readMonths } = await workspaceAtTurn(MAX - 1);
    const { body } = await post("the last", "once");
    setClock(FEBRUARY_AT);
    expect(await post("the last", "once")).toMatchObject({ status: 200, replayed: true, body: { id: body.id } });
    expect(await readMonths()).toEqual({ "2027-01": MAX });
    for (let i = 0; i < MAX; i++) await post(`february ${i}`);
    expect(await post("the last", "once")).toMatchObject({ status: 200, replayed: true, body: { id: body.id } });
    expect(await readMonths()).toEqual({ "2027-01": MAX, "2027-02": MAX });
  });

  it("two calls under one key, one in each month, make one post, whichever is written first", async () => {
    const { ctx, post, readPosts, readMonths } = await workspaceAtTurn(MAX - 1);
    // Each of the calls reads another clock.
    const instants = [LAST_OF_JANUARY, FEBRUARY_AT];
    ctx.now = () => instants.shift() ?? FEBRUARY_AT;
    const answers = await Promise.all([post("the last", "once"), post("the last", "once")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(answers[0]?.body.id).toBe(answers[1]?.body.id);
    expect(await readPosts()).toHaveLength(MAX);
    const months = await readMonths();
    expect(Object.values(months).reduce((sum, posts) => sum + posts, 0)).toBe(MAX);
  });

  it("calls that race for the last place are judged by the month in which they were read", async () => {
    const { ctx, post, readMonths } = await workspaceAtTurn(MAX - 1);
    const instants = [LAST_OF_JANUARY, LAST_OF_JANUARY, FEBRUARY_AT, FEBRUARY_AT];
    const next = () => instants.shift() ?? FEBRUARY_AT;
    ctx.now = next;
    const outcomes = await Promise.allSettled(["a", "b", "c", "d"].map((text) => post(text)));
    const made = outcomes.filter(({ status }) => status === "fulfilled").length;
    const months = await readMonths();
    expect(months["2027-01"]).toBeLessThanOrEqual(MAX);
    expect(Object.values(months).reduce((sum, posts) => sum + posts, 0)).toBe(MAX - 1 + made);
    expect(made).toBeGreaterThanOrEqual(3);
  });

  it("a post that is cancelled is given back to the month that it was taken from", async () => {
    const { call, ids, post, setClock, readMonths } = await workspaceAtTurn(MAX);
    setClock(FEBRUARY_AT);
    await post("february");
    await call("posts.remove", { id: ids[0] ?? "" });
    expect(await readMonths()).toEqual({ "2027-01": MAX - 1, "2027-02": 1 });
    setClock(LAST_OF_JANUARY);
    expect((await post("in its place")).status).toBe(201);
    expect(await readMonths()).toEqual({ "2027-01": MAX, "2027-02": 1 });
  });

  it("a month that has got back all that it may gets no more, whatever the next one has got back", async () => {
    const { workspaceId, call, ids, post, setClock, readMonths } = await workspaceAtTurn(2);
    await db
      .update(usageMonths)
      .set({ givenBack: 3 * MAX })
      .where(eq(usageMonths.workspaceId, workspaceId));
    setClock(FEBRUARY_AT);
    const { body } = await post("february");
    await call("posts.remove", { id: ids[0] ?? "" });
    await call("posts.remove", { id: String(body.id) });
    expect(await readMonths()).toEqual({ "2027-01": 2, "2027-02": 0 });
  });

  it("a post that is pulled back and released again moves to the month of its release, which must have room", async () => {
    const { edit, ids, post, setClock, readMonths } = await workspaceAtTurn(1);
    const id = ids[0] ?? "";
    setClock(FEBRUARY_AT);
    for (let i = 0; i < MAX; i++) await post(`february ${i}`);
    await edit(id, { text: "counted already" });
    await edit(id, { draft: true });
    expect(await readMonths()).toEqual({ "2027-01": 0, "2027-02": MAX });
    expect(await refusal(edit(id, { draft: false }))).toMatchObject({ status: 402, code: "plan_limit" });
    setClock(Date.UTC(2027, 2, 1));
    const march = new Date(Date.UTC(2027, 2, 2)).toISOString();
    expect((await edit(id, { draft: false, publish_at: march })).status).toBe(200);
    expect(await readMonths()).toEqual({ "2027-01": 0, "2027-02": MAX, "2027-03": 1 });
  });
});
