import { describe, expect, it } from "vitest";
import { costOf } from "../support/cost-of.ts";
import { join } from "../support/members.ts";
import { isWhole } from "../support/sampled.ts";
import { type Answer, call, connect, getPost, type PostBody, post, signUp } from "../support/world.ts";
import { callTool, connected } from "./mcp/clients.ts";

interface Slot {
  weekday: number;
  time: string;
  channels: string[] | null;
}
interface Next {
  slots: { at: string; at_local: string }[];
}
type Refused = PostBody & { error?: string; field?: string; violations?: { code: string; field: string }[] };

/** Of the posts that ask for a slot at once. */
const FIFTH = isWhole ? 20 : 6;
const EVERY_DAY = Array.from({ length: 7 }, (_, i) => i + 1);
const daily = (time: string, channels: string[] | null = null): Slot[] =>
  EVERY_DAY.map((weekday) => ({ weekday, time, channels }));
const put = (key: string, slots: unknown) =>
  call<{ slots: Slot[] }>("PUT", "/v1/slots", { token: key, body: { slots } });
const slotsOf = async (key: string) => (await call<{ slots: Slot[] }>("GET", "/v1/slots", { token: key })).body.slots;
const next = async (key: string, channels: string[], count?: number) => {
  const path = `/v1/slots/next?channels=${channels.join(",")}${count === undefined ? "" : `&count=${count}`}`;
  const answer = await call<Next>("GET", path, { token: key });
  expect(answer.status).toBe(200);
  return answer.body.slots.map(({ at }) => at);
};
const create = (key: string, body: object): Promise<Answer<Refused>> =>
  call<Refused>("POST", "/v1/posts", { token: key, body: { text: "x", publish_at: "next_slot", ...body } });
const edit = (key: string, id: string, body: object) => call<Refused>("PATCH", `/v1/posts/${id}`, { token: key, body });

/** A workspace with a channel and slots twice a day. */
async function planned() {
  const account = await signUp();
  const { id: channel } = await connect(account.key, "telegram");
  expect((await put(account.key, [...daily("09:30"), ...daily("17:00")])).status).toBe(200);
  return { ...account, channel };
}

describe("the slots of a week", () => {
  it("are none at first, are replaced as a whole, and come in the order of the week", async () => {
    const { key } = await signUp();
    expect(await slotsOf(key)).toEqual([]);
    const one = (weekday: number, time: string): Slot => ({ weekday, time, channels: null });
    const set = await put(key, [one(3, "08:00"), one(1, "17:00"), one(1, "09:30")]);
    expect(set).toMatchObject({ status: 200, body: { slots: [one(1, "09:30"), one(1, "17:00"), one(3, "08:00")] } });
    expect(await slotsOf(key)).toEqual(set.body.slots);
    expect((await put(key, [])).body.slots).toEqual([]);
    expect(await slotsOf(key)).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ["no list", 5, "invalid_field", "/slots"],
    ["an eighth day", [{ weekday: 8, time: "09:30", channels: null }], "invalid_field", "/slots/0/weekday"],
    ["an hour too many", [{ weekday: 1, time: "24:00", channels: null }], "invalid_field", "/slots/0/time"],
    ["a time with seconds", [{ weekday: 1, time: "09:30:00", channels: null }], "invalid_field", "/slots/0/time"],
    ["no word of channels", [{ weekday: 1, time: "09:30" }], "missing_field", "/slots/0/channels"],
    ["a typo", [{ weekday: 1, time: "09:30", channels: null, day: 1 }], "unknown_field", "/slots/0/day"],
    [
      "a channel twice",
      [{ weekday: 1, time: "09:30", channels: ["a", "a"] }],
      "duplicate_channel",
      "/slots/0/channels/1",
    ],
    [
      "a channel of nobody",
      [{ weekday: 1, time: "09:30", channels: ["ch_x"] }],
      "unknown_channel",
      "/slots/0/channels/0",
    ],
    ["a slot twice", [...daily("09:30"), ...daily("09:30")], "invalid_field", "/slots"],
    ["too many", Array.from({ length: 201 }, () => daily("09:30")[0]), "invalid_field", "/slots"],
  ])("with %s are refused, and those before stay", async (_what, slots, error, field) => {
    const { key } = await signUp();
    await put(key, daily("09:30"));
    expect(await put(key, slots)).toMatchObject({ status: 422, body: { error, field } });
    expect(await slotsOf(key)).toHaveLength(7);
  });

  it("are set by publishers, read by everybody, and of one workspace", async () => {
    const [owner, author, publisher] = [await signUp(), await signUp(), await signUp()];
    await join(owner, author, "author");
    await join(owner, publisher, "publisher");
    const { id } = await connect(owner.key, "telegram");
    const as = (who: typeof owner) => ({ token: who.session, headers: { "x-workspace": owner.workspace } });
    const body = { slots: daily("09:30", [id]) };
    expect(await call("PUT", "/v1/slots", { ...as(author), body })).toMatchObject({
      status: 403,
      body: { error: "role_missing", role: "publisher" },
    });
    expect((await call("PUT", "/v1/slots", { ...as(publisher), body })).status).toBe(200);
    expect((await call("GET", "/v1/slots", as(author))).body).toEqual(body);
    expect(await put(author.key, daily("09:30", [id]))).toMatchObject({
      status: 422,
      body: { error: "unknown_channel" },
    });
    expect(await call("GET", `/v1/slots/next?channels=${id}`, { token: author.key })).toMatchObject({
      status: 422,
      body: { error: "unknown_channel", field: "/channels" },
    });
  });

  it("leave out a channel that is disconnected, serve the others, and have it again when it comes back", async () => {
    const { key } = await signUp();
    const [gone, stays] = [await connect(key, "telegram"), await connect(key, "bluesky")];
    await put(key, [...daily("09:30", [gone.id, stays.id]), { weekday: 1, time: "12:00", channels: [gone.id] }]);
    await call("DELETE", `/v1/channels/${gone.id}`, { token: key });
    const left = await slotsOf(key);
    expect(left.map(({ channels }) => channels)).toContainEqual([]);
    expect(await next(key, [stays.id], 2)).toHaveLength(2);
    expect((await put(key, left)).status).toBe(200);
    await put(key, daily("12:00", [stays.id]));
    await call("DELETE", `/v1/channels/${stays.id}`, { token: key });
    const { handle, platform } = stays;
    const credentials = { identifier: handle, app_password: "abcd-efgh-ijkl-mnop" };
    const body = { platform, handle, credentials };
    expect(await call("POST", "/v1/channels", { token: key, body })).toMatchObject({ body: { id: stays.id } });
    expect(await next(key, [stays.id], 1)).toHaveLength(1);
    expect((await slotsOf(key))[0]).toEqual({ weekday: 1, time: "12:00", channels: [stays.id] });
  });
});

describe("the next free slots", () => {
  it("are those without a post on any of the channels, of slots with all of them", async () => {
    const { key } = await signUp();
    const [one, other] = [(await connect(key, "telegram")).id, (await connect(key, "bluesky")).id];
    await put(key, [...daily("08:00", [one]), ...daily("12:00", [one, other]), ...daily("20:00")]);
    const both = await next(key, [one, other], 6);
    expect(both).toHaveLength(6);
    expect(both.every((at) => /T(12|20):00:00.000Z$/.test(at))).toBe(true);
    expect((await next(key, [one], 6)).some((at) => at.includes("T08:00"))).toBe(true);
    await post(key, { text: "x", channels: [other], publish_at: both[0] });
    expect(await next(key, [one, other], 5)).toEqual(both.slice(1));
    expect(await next(key, [one], 20)).toContain(both[0]);
  });

  it("are on the workspace's clock, ten where nothing is said, and none without slots", async () => {
    const { key, channel } = await planned();
    await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "Asia/Kathmandu" } });
    const { body } = await call<Next>("GET", `/v1/slots/next?channels=${channel}`, { token: key });
    expect(body.slots).toHaveLength(10);
    for (const { at, at_local } of body.slots) {
      expect(at_local).toMatch(/T(09:30|17:00):00\+05:45$/);
      expect(Date.parse(at_local)).toBe(Date.parse(at));
    }
    await put(key, []);
    expect(await next(key, [channel])).toEqual([]);
  });

  it.each([
    ["", "missing_field", "/channels"],
    ["?channels=", "missing_field", "/channels"],
    ["?channels=ch_x", "unknown_channel", "/channels"],
    ["?channels=CH&count=0", "invalid_field", "/count"],
    ["?channels=CH&count=101", "invalid_field", "/count"],
    ["?channels=CH&count=two", "invalid_field", "/count"],
    [`?channels=${Array.from({ length: 101 }, (_, i) => `ch_${i}`).join(",")}`, "invalid_field", "/channels"],
  ])("with %s are refused", async (query, error, field) => {
    const { key } = await signUp();
    const { id } = await connect(key, "telegram");
    const answer = await call("GET", `/v1/slots/next${query.replace("CH", id)}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });
});

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
  const client = await connected(key, "2026-07-28");
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
