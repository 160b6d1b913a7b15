import { describe, expect, it } from "vitest";
import { join } from "../support/members.ts";
import { call, connect, post, signUp } from "../support/world.ts";
import {
  dailySlots,
  listNextSlots,
  type NextSlots,
  openPlannedWeek,
  PLANNED_TIMES,
  putSlots,
  type Slot,
} from "./planned-week.ts";

const listSlots = async (key: string) => (await call<{ slots: Slot[] }>("GET", "/v1/slots", { token: key })).body.slots;

describe("the slots of a week", () => {
  it("the slots of a week are empty at first, are replaced as a whole, and are in the order of the week", async () => {
    const { key } = await signUp();
    expect(await listSlots(key)).toEqual([]);
    const buildSlot = (weekday: number, time: string): Slot => ({ weekday, time, channels: null });
    const set = await putSlots(key, [buildSlot(3, "08:00"), buildSlot(1, "17:00"), buildSlot(1, "09:30")]);
    expect(set).toMatchObject({
      status: 200,
      body: { slots: [buildSlot(1, "09:30"), buildSlot(1, "17:00"), buildSlot(3, "08:00")] },
    });
    expect(await listSlots(key)).toEqual(set.body.slots);
    expect((await putSlots(key, [])).body.slots).toEqual([]);
    expect(await listSlots(key)).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ["a number", 5, "invalid_field", "/slots"],
    ["an eighth day", [{ weekday: 8, time: "09:30", channels: null }], "invalid_field", "/slots/0/weekday"],
    ["the hour 24", [{ weekday: 1, time: "24:00", channels: null }], "invalid_field", "/slots/0/time"],
    ["a time with seconds", [{ weekday: 1, time: "09:30:00", channels: null }], "invalid_field", "/slots/0/time"],
    ["a missing list of channels", [{ weekday: 1, time: "09:30" }], "missing_field", "/slots/0/channels"],
    ["an unknown field", [{ weekday: 1, time: "09:30", channels: null, day: 1 }], "unknown_field", "/slots/0/day"],
    [
      "a repeated channel",
      [{ weekday: 1, time: "09:30", channels: ["a", "a"] }],
      "duplicate_channel",
      "/slots/0/channels/1",
    ],
    [
      "an unknown channel",
      [{ weekday: 1, time: "09:30", channels: ["ch_x"] }],
      "unknown_channel",
      "/slots/0/channels/0",
    ],
    ["a repeated slot", [...dailySlots("09:30"), ...dailySlots("09:30")], "invalid_field", "/slots"],
    ["too many slots", Array.from({ length: 201 }, () => dailySlots("09:30")[0]), "invalid_field", "/slots"],
  ])("slots with %s are refused, and the previous ones stay", async (_what, slots, error, field) => {
    const { key } = await signUp();
    await putSlots(key, dailySlots("09:30"));
    expect(await putSlots(key, slots)).toMatchObject({ status: 422, body: { error, field } });
    expect(await listSlots(key)).toHaveLength(7);
  });

  it("slots are set by publishers, read by all members, and belong to one workspace", async () => {
    const [owner, author, publisher] = [await signUp(), await signUp(), await signUp()];
    await join(owner, author, "author");
    await join(owner, publisher, "publisher");
    const { id } = await connect(owner.key, "telegram");
    const asMember = (member: typeof owner) => ({ token: member.session, headers: { "x-workspace": owner.workspace } });
    const body = { slots: dailySlots("09:30", [id]) };
    expect(await call("PUT", "/v1/slots", { ...asMember(author), body })).toMatchObject({
      status: 403,
      body: { error: "role_missing", role: "publisher" },
    });
    expect((await call("PUT", "/v1/slots", { ...asMember(publisher), body })).status).toBe(200);
    expect((await call("GET", "/v1/slots", asMember(author))).body).toEqual(body);
    expect(await putSlots(author.key, dailySlots("09:30", [id]))).toMatchObject({
      status: 422,
      body: { error: "unknown_channel" },
    });
    expect(await call("GET", `/v1/slots/next?channels=${id}`, { token: author.key })).toMatchObject({
      status: 422,
      body: { error: "unknown_channel", field: "/channels" },
    });
  });

  it("slots leave out a disconnected channel, serve the others, and have it again once it is reconnected", async () => {
    const { key } = await signUp();
    const [telegram, bluesky] = [await connect(key, "telegram"), await connect(key, "bluesky")];
    await putSlots(key, [
      ...dailySlots("09:30", [telegram.id, bluesky.id]),
      { weekday: 1, time: "12:00", channels: [telegram.id] },
    ]);
    await call("DELETE", `/v1/channels/${telegram.id}`, { token: key });
    const remainingSlots = await listSlots(key);
    expect(remainingSlots.map(({ channels }) => channels)).toContainEqual([]);
    expect(await listNextSlots(key, [bluesky.id], 2)).toHaveLength(2);
    expect((await putSlots(key, remainingSlots)).status).toBe(200);
    await putSlots(key, dailySlots("12:00", [bluesky.id]));
    await call("DELETE", `/v1/channels/${bluesky.id}`, { token: key });
    const { handle, platform } = bluesky;
    const credentials = { identifier: handle, app_password: "abcd-efgh-ijkl-mnop" };
    const body = { platform, handle, credentials };
    expect(await call("POST", "/v1/channels", { token: key, body })).toMatchObject({ body: { id: bluesky.id } });
    expect(await listNextSlots(key, [bluesky.id], 1)).toHaveLength(1);
    expect((await listSlots(key))[0]).toEqual({ weekday: 1, time: "12:00", channels: [bluesky.id] });
  });
});

describe("the next free slots", () => {
  it("the next free slots belong to all the channels, and have no post on any of them", async () => {
    const { key } = await signUp();
    const [telegramId, blueskyId] = [(await connect(key, "telegram")).id, (await connect(key, "bluesky")).id];
    await putSlots(key, [
      ...dailySlots("08:00", [telegramId]),
      ...dailySlots("12:00", [telegramId, blueskyId]),
      ...dailySlots("20:00"),
    ]);
    const shared = await listNextSlots(key, [telegramId, blueskyId], 6);
    expect(shared).toHaveLength(6);
    expect(shared.every((slotAt) => /T(12|20):00:00.000Z$/.test(slotAt))).toBe(true);
    expect((await listNextSlots(key, [telegramId], 6)).some((slotAt) => slotAt.includes("T08:00"))).toBe(true);
    await post(key, { text: "x", channels: [blueskyId], publish_at: shared[0] });
    expect(await listNextSlots(key, [telegramId, blueskyId], 5)).toEqual(shared.slice(1));
    expect(await listNextSlots(key, [telegramId], 20)).toContain(shared[0]);
  });

  it("the next free slots are in the workspace's time zone, ten by default, and none without slots", async () => {
    const { key, channel } = await openPlannedWeek();
    await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "Asia/Kathmandu" } });
    const { body } = await call<NextSlots>("GET", `/v1/slots/next?channels=${channel}`, { token: key });
    expect(body.slots).toHaveLength(10);
    for (const { at: instant, at_local } of body.slots) {
      expect(PLANNED_TIMES.map((time) => `T${time}:00+05:45`)).toContain(at_local.slice(10));
      expect(Date.parse(at_local)).toBe(Date.parse(instant));
    }
    await putSlots(key, []);
    expect(await listNextSlots(key, [channel])).toEqual([]);
  });

  it.each([
    ["", "missing_field", "/channels"],
    ["?channels=", "missing_field", "/channels"],
    ["?channels=ch_x", "unknown_channel", "/channels"],
    ["?channels=CH&count=0", "invalid_field", "/count"],
    ["?channels=CH&count=101", "invalid_field", "/count"],
    ["?channels=CH&count=two", "invalid_field", "/count"],
    [`?channels=${Array.from({ length: 101 }, (_, i) => `ch_${i}`).join(",")}`, "invalid_field", "/channels"],
  ])("the next free slots are refused for the query %s", async (query, error, field) => {
    const { key } = await signUp();
    const { id } = await connect(key, "telegram");
    const answer = await call("GET", `/v1/slots/next${query.replace("CH", id)}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });
});
