import { describe, expect, it } from "vitest";
import { costOf } from "../support/cost-of.ts";
import { isWhole } from "../support/sampled.ts";
import { type Answer, call, connect, getPost, type PostBody, post } from "../support/world.ts";
import { callTool, connectClient } from "./mcp/clients.ts";
import { daily, next, planned, put } from "./planned-week.ts";

type Refused = PostBody & { error?: string; field?: string; violations?: { code: string; field: string }[] };

/** Of the posts that ask for a slot at once. */
const FIFTH = isWhole ? 20 : 6;
const create = (key: string, body: object): Promise<Answer<Refused>> =>
  call<Refused>("POST", "/v1/posts", { token: key, body: { text: "x", publish_at: "next_slot", ...body } });
const edit = (key: string, id: string, body: object) => call<Refused>("PATCH", `/v1/posts/${id}`, { token: key, body });

describe("publish_at: next_slot", () => {
  it("takes the first free slot, and its instant is the answer's", async () => {
    const { key, channel } = await planned();
    const free = await next(key, [channel], 3);
    const made = await create(key, { channels: [channel] });
    expect(made).toMatchObject({
      status: 201,
      body: { status: "scheduled", publish_at: free[0], due_at: free[0], deliveries: [{ scheduled_for: free[0] }] },
    });
    expect(await getPost(key, made.body.id)).toMatchObject({ publish_at: free[0], due_at: free[0] });
    expect(await next(key, [channel], 2)).toEqual(free.slice(1));
    expect((await create(key, { channels: [channel], dry_run: true })).body.publish_at).toBe(free[1]);
    expect((await create(key, { channels: [channel] })).body.publish_at).toBe(free[1]);
  });

  it(`gives ${5 * FIFTH} posts at once as many instants, the first ones, drafts and moved ones among them`, async () => {
    const { key, channel } = await planned();
    const free = await next(key, [channel], 5 * FIFTH);
    const moved = await Promise.all(
      Array.from({ length: FIFTH }, () => post(key, { text: "m", channels: [channel], draft: true })),
    );
    const answers = await Promise.all([
      ...Array.from({ length: 3 * FIFTH }, (_, i) => create(key, { text: `${i}`, channels: [channel] })),
      ...Array.from({ length: FIFTH }, (_, i) => create(key, { text: `d${i}`, channels: [channel], draft: true })),
      ...moved.map(({ id }) => edit(key, id, { publish_at: "next_slot", draft: false })),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    expect(answers.map(({ body }) => body.publish_at).sort()).toEqual(free);
  });

  it("passes over a time that was given by hand, also within its minute, and takes what a cancelled post leaves", async () => {
    const { key, channel } = await planned();
    const free = await next(key, [channel], 4);
    const at = (i: number, more = 0) => new Date(Date.parse(free[i] ?? "") + more).toISOString();
    const byHand = await post(key, { text: "x", channels: [channel], publish_at: at(0) });
    await post(key, { text: "y", channels: [channel], publish_at: at(1, 59_999) });
    await post(key, { text: "z", channels: [channel], publish_at: at(2, -1) });
    expect((await create(key, { channels: [channel] })).body.publish_at).toBe(free[2]);
    await call("DELETE", `/v1/posts/${byHand.id}`, { token: key });
    expect((await create(key, { channels: [channel] })).body.publish_at).toBe(free[0]);
  });

  it("moves a post, which is not in its own way, and leaves another to the slot that it had", async () => {
    const { key, channel } = await planned();
    const free = await next(key, [channel], 2);
    const first = (await create(key, { channels: [channel] })).body;
    const second = (await create(key, { text: "y", channels: [channel] })).body;
    expect((await edit(key, first.id, { publish_at: "next_slot" })).body.publish_at).toBe(free[0]);
    await edit(key, first.id, { publish_at: "2027-01-30T03:00:00Z" });
    expect((await edit(key, second.id, { publish_at: "next_slot" })).body).toMatchObject({
      publish_at: free[0],
      deliveries: [{ scheduled_for: free[0] }],
    });
    await put(key, daily("06:00"));
    expect(await getPost(key, second.id)).toMatchObject({ publish_at: free[0] });
  });

  it("gives a draft its time, which it holds until it is discarded", async () => {
    const { key, channel } = await planned();
    const free = await next(key, [channel], 2);
    const draft = (await create(key, { channels: [channel], draft: true })).body;
    expect(draft).toMatchObject({ status: "draft", publish_at: free[0], deliveries: [] });
    expect(await next(key, [channel], 1)).toEqual(free.slice(1));
    expect((await edit(key, draft.id, { draft: false })).body).toMatchObject({ status: "scheduled", due_at: free[0] });
    const other = (await create(key, { channels: [channel], draft: true })).body;
    await call("DELETE", `/v1/posts/${other.id}`, { token: key });
    expect(await next(key, [channel], 1)).toEqual(free.slice(1));
    expect(await create(key, { channels: [], draft: true })).toMatchObject({
      status: 422,
      body: { error: "channels_required", violations: [{ field: "/channels" }] },
    });
  });

  it("is 409 where no slot serves all channels, or every one of 366 days has its post; nothing is written", async () => {
    const { key, channel } = await planned();
    const { id: other } = await connect(key, "bluesky");
    await put(key, [{ weekday: 1, time: "09:30", channels: [channel] }]);
    const none = { status: 409, body: { error: "no_free_slot", field: "/publish_at" } };
    expect(await create(key, { channels: [channel, other] })).toMatchObject(none);
    expect(await create(key, { channels: [other], dry_run: true })).toMatchObject(none);
    const weeks = await next(key, [channel], 100);
    expect(weeks.length).toBeGreaterThanOrEqual(52);
    const answers = await Promise.all(
      Array.from({ length: weeks.length + 5 }, (_, i) => create(key, { text: `${i}`, channels: [channel] })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.map(({ body }) => body.publish_at).sort()).toEqual(weeks);
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toMatchObject(none);
    const before = (await call<{ posts: { used: number } }>("GET", "/v1/usage", { token: key })).body.posts.used;
    expect(before).toBe(weeks.length);
    const moved = made[0]?.body.id ?? "";
    expect((await edit(key, moved, { channels: [other], publish_at: "next_slot" })).status).toBe(409);
    expect(await getPost(key, moved)).toMatchObject({ channels: [channel], rev: 1 });
  });

  it("with the same key is the same post, also when its slot would be another by now", async () => {
    const { key, channel } = await planned();
    const again = () =>
      call<PostBody>("POST", "/v1/posts", {
        token: key,
        body: { text: "x", channels: [channel], publish_at: "next_slot" },
        headers: { "idempotency-key": "one" },
      });
    const made = await again();
    expect(await again()).toMatchObject({ status: 200, body: { id: made.body.id, publish_at: made.body.publish_at } });
  });

  it("costs three round trips, and a post with a time of its own two and no row more", async () => {
    const account = await planned();
    const { channel } = account;
    const body = { text: "x", channels: [channel] };
    const inSlot = await costOf(account, "POST", "/v1/posts", { ...body, publish_at: "next_slot" });
    const byHand = await costOf(account, "POST", "/v1/posts", { ...body, publish_at: "2027-01-30T03:00:00Z" });
    expect(inSlot).toMatchObject({ status: 201, use: { roundTrips: 3 } });
    expect(byHand).toMatchObject({ status: 201, use: { roundTrips: 2 } });
    expect(inSlot.use.rowsWritten).toBe(byHand.use.rowsWritten);
    expect(inSlot.use.rowsRead - byHand.use.rowsRead).toBeLessThan(1_200);
  });
});

it("an agent sees the next slots, and queues a post into the very slot that was shown, or not at all", async () => {
  const { key, channel } = await planned();
  const client = await connectClient(key, "2026-07-28");
  const [first = "", second = ""] = await next(key, [channel], 2);
  const listed = await callTool(client, "next_slots", { channels: [channel], count: 2 });
  expect(listed.body).toMatchObject({ slots: [{ at: first }, { at: second }] });
  const args = { text: "x", channels: [channel], publish_at: "next_slot" };
  const [one, other] = [await callTool(client, "check_post", args), await callTool(client, "check_post", args)];
  expect(one.body).toMatchObject({ publish_at: first, check_token: expect.any(String) });
  const queue = (check_token: unknown) => callTool(client, "queue_post", { ...args, check_token });
  const queued = await queue(one.body.check_token);
  expect(queued).toMatchObject({ refused: false, body: { publish_at: first } });
  expect(await queue(one.body.check_token)).toMatchObject({ refused: false, body: { id: queued.body.id } });
  expect(await queue(other.body.check_token)).toMatchObject({ refused: true, body: { error: "no_free_slot" } });
});
