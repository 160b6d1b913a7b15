import { describe, expect, it } from "vitest";
import { measureCost } from "../support/cost-of.ts";
import { inDays } from "../support/dates.ts";
import { isExtensive } from "../support/sampled.ts";
import { type Answer, call, connect, getPost, type PostBody, post } from "../support/world.ts";
import { callTool, connectClient } from "./mcp/clients.ts";
import { dailySlots, inHours, listNextSlots, openPlannedWeek, putSlots } from "./planned-week.ts";

type PostAnswer = PostBody & { error?: string; field?: string; violations?: { code: string; field: string }[] };

/** A fifth of the posts that request a slot at the same time. */
const FIFTH = isExtensive ? 20 : 6;
const create = (key: string, body: object): Promise<Answer<PostAnswer>> =>
  call<PostAnswer>("POST", "/v1/posts", { token: key, body: { text: "x", publish_at: "next_slot", ...body } });
const edit = (key: string, id: string, body: object) =>
  call<PostAnswer>("PATCH", `/v1/posts/${id}`, { token: key, body });

describe("publish_at: next_slot", () => {
  it("a post takes the first free slot, and the answer has its time", async () => {
    const { key, channel } = await openPlannedWeek();
    const free = await listNextSlots(key, [channel], 3);
    const answer = await create(key, { channels: [channel] });
    expect(answer).toMatchObject({
      status: 201,
      body: { status: "scheduled", publish_at: free[0], due_at: free[0], deliveries: [{ scheduled_for: free[0] }] },
    });
    expect(await getPost(key, answer.body.id)).toMatchObject({ publish_at: free[0], due_at: free[0] });
    expect(await listNextSlots(key, [channel], 2)).toEqual(free.slice(1));
    expect((await create(key, { channels: [channel], dry_run: true })).body.publish_at).toBe(free[1]);
    expect((await create(key, { channels: [channel] })).body.publish_at).toBe(free[1]);
  });

  it(`${5 * FIFTH} simultaneous posts, drafts and moved posts get the first free slots, one slot each`, async () => {
    const { key, channel } = await openPlannedWeek();
    const free = await listNextSlots(key, [channel], 5 * FIFTH);
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

  it("a post skips a slot in whose minute another post was scheduled by hand, and takes the slot of a cancelled post", async () => {
    const { key, channel } = await openPlannedWeek();
    const free = await listNextSlots(key, [channel], 4);
    const slotTime = (i: number, offsetMs = 0) => new Date(Date.parse(free[i] ?? "") + offsetMs).toISOString();
    const byHand = await post(key, { text: "x", channels: [channel], publish_at: slotTime(0) });
    await post(key, { text: "y", channels: [channel], publish_at: slotTime(1, 59_999) });
    await post(key, { text: "z", channels: [channel], publish_at: slotTime(2, -1) });
    expect((await create(key, { channels: [channel] })).body.publish_at).toBe(free[2]);
    await call("DELETE", `/v1/posts/${byHand.id}`, { token: key });
    expect((await create(key, { channels: [channel] })).body.publish_at).toBe(free[0]);
  });

  it("a moved post can keep its own slot, and other posts keep their times when the slots change", async () => {
    const { key, channel } = await openPlannedWeek();
    const free = await listNextSlots(key, [channel], 2);
    const first = (await create(key, { channels: [channel] })).body;
    const second = (await create(key, { text: "y", channels: [channel] })).body;
    expect((await edit(key, first.id, { publish_at: "next_slot" })).body.publish_at).toBe(free[0]);
    await edit(key, first.id, { publish_at: `${inDays(60).slice(0, 10)}T03:00:00Z` });
    expect((await edit(key, second.id, { publish_at: "next_slot" })).body).toMatchObject({
      publish_at: free[0],
      deliveries: [{ scheduled_for: free[0] }],
    });
    await putSlots(key, dailySlots("06:00"));
    expect(await getPost(key, second.id)).toMatchObject({ publish_at: free[0] });
  });

  it("a draft gets a time, which it holds until it is discarded", async () => {
    const { key, channel } = await openPlannedWeek();
    const free = await listNextSlots(key, [channel], 2);
    const draft = (await create(key, { channels: [channel], draft: true })).body;
    expect(draft).toMatchObject({ status: "draft", publish_at: free[0], deliveries: [] });
    expect(await listNextSlots(key, [channel], 1)).toEqual(free.slice(1));
    expect((await edit(key, draft.id, { draft: false })).body).toMatchObject({ status: "scheduled", due_at: free[0] });
    const secondDraft = (await create(key, { channels: [channel], draft: true })).body;
    await call("DELETE", `/v1/posts/${secondDraft.id}`, { token: key });
    expect(await listNextSlots(key, [channel], 1)).toEqual(free.slice(1));
    expect(await create(key, { channels: [], draft: true })).toMatchObject({
      status: 422,
      body: { error: "channels_required", violations: [{ field: "/channels" }] },
    });
  });

  it("a post is refused with 409 and not written if no slot serves all its channels, or if all slots of 366 days are taken", async () => {
    const { key, channel } = await openPlannedWeek();
    const { id: otherId } = await connect(key, "bluesky");
    await putSlots(key, dailySlots(inHours(6), [channel]).slice(0, 1));
    const noFreeSlot = { status: 409, body: { error: "no_free_slot", field: "/publish_at" } };
    expect(await create(key, { channels: [channel, otherId] })).toMatchObject(noFreeSlot);
    expect(await create(key, { channels: [otherId], dry_run: true })).toMatchObject(noFreeSlot);
    const weeks = await listNextSlots(key, [channel], 100);
    expect(weeks.length).toBeGreaterThanOrEqual(52);
    const answers = await Promise.all(
      Array.from({ length: weeks.length + 5 }, (_, i) => create(key, { text: `${i}`, channels: [channel] })),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(created.map(({ body }) => body.publish_at).sort()).toEqual(weeks);
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toMatchObject(noFreeSlot);
    const before = (await call<{ posts: { used: number } }>("GET", "/v1/usage", { token: key })).body.posts.used;
    expect(before).toBe(weeks.length);
    const moved = created[0]?.body.id ?? "";
    expect((await edit(key, moved, { channels: [otherId], publish_at: "next_slot" })).status).toBe(409);
    expect(await getPost(key, moved)).toMatchObject({ channels: [channel], rev: 1 });
  });

  it("a repeat with the same key returns the same post, even if its slot would be another one by now", async () => {
    const { key, channel } = await openPlannedWeek();
    const again = () =>
      call<PostBody>("POST", "/v1/posts", {
        token: key,
        body: { text: "x", channels: [channel], publish_at: "next_slot" },
        headers: { "idempotency-key": "one" },
      });
    const first = await again();
    expect(await again()).toMatchObject({
      status: 200,
      body: { id: first.body.id, publish_at: first.body.publish_at },
    });
  });

  it("a post in a slot costs three round trips, and a post with its own time costs two and writes as many rows", async () => {
    const account = await openPlannedWeek();
    const { channel } = account;
    const body = { text: "x", channels: [channel] };
    const inSlot = await measureCost(account, "POST", "/v1/posts", { ...body, publish_at: "next_slot" });
    const byHand = await measureCost(account, "POST", "/v1/posts", {
      ...body,
      publish_at: `${inDays(60).slice(0, 10)}T03:00:00Z`,
    });
    expect(inSlot).toMatchObject({ status: 201, use: { roundTrips: 3 } });
    expect(byHand).toMatchObject({ status: 201, use: { roundTrips: 2 } });
    expect(inSlot.use.rowsWritten).toBe(byHand.use.rowsWritten);
    expect(inSlot.use.rowsRead - byHand.use.rowsRead).toBeLessThan(1_400);
  });
});

it("an agent sees the next slots, and queues a post into exactly the slot that was shown, or not at all", async () => {
  const { key, channel } = await openPlannedWeek();
  const client = await connectClient(key, "2026-07-28");
  const [first = "", second = ""] = await listNextSlots(key, [channel], 2);
  const listed = await callTool(client, "next_slots", { channels: [channel], count: 2 });
  expect(listed.body).toMatchObject({ slots: [{ at: first }, { at: second }] });
  const args = { text: "x", channels: [channel], publish_at: "next_slot" };
  const [firstCheck, secondCheck] = [
    await callTool(client, "check_post", args),
    await callTool(client, "check_post", args),
  ];
  expect(firstCheck.body).toMatchObject({ publish_at: first, check_token: expect.any(String) });
  const queue = (check_token: unknown) => callTool(client, "queue_post", { ...args, check_token });
  const queued = await queue(firstCheck.body.check_token);
  expect(queued).toMatchObject({ refused: false, body: { publish_at: first } });
  expect(await queue(firstCheck.body.check_token)).toMatchObject({ refused: false, body: { id: queued.body.id } });
  expect(await queue(secondCheck.body.check_token)).toMatchObject({ refused: true, body: { error: "no_free_slot" } });
});
