import { describe, expect, it } from "vitest";
import { join } from "../support/members.ts";
import { call, connect, post, signUp } from "../support/world.ts";
import { dailySlots, listNextSlots, type NextSlots, openPlannedWeek, putSlots, type Slot } from "./planned-week.ts";

const slotsOf = async (key: string) => (await call<{ slots: Slot[] }>("GET", "/v1/slots", { token: key })).body.slots;

describe("the slots of a week", () => {
  it("are none at first, are replaced as a whole, and come in the order of the week", async () => {
    const { key } = await signUp();
    expect(await slotsOf(key)).toEqual([]);
    const one = (weekday: number, time: string): Slot => ({ weekday, time, channels: null });
    const set = await putSlots(key, [one(3, "08:00"), one(1, "17:00"), one(1, "09:30")]);
    expect(set).toMatchObject({ status: 200, body: { slots: [one(1, "09:30"), one(1, "17:00"), one(3, "08:00")] } });
    expect(await slotsOf(key)).toEqual(set.body.slots);
    expect((await putSlots(key, [])).body.slots).toEqual([]);
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
    ["a slot twice", [...dailySlots("09:30"), ...dailySlots("09:30")], "invalid_field", "/slots"],
    ["too many", Array.from({ length: 201 }, () => dailySlots("09:30")[0]), "invalid_field", "/slots"],
  ])("with %s are refused, and those before stay", async (_what, slots, error, field) => {
    const { key } = await signUp();
    await putSlots(key, dailySlots("09:30"));
    expect(await putSlots(key, slots)).toMatchObject({ status: 422, body: { error, field } });
    expect(await slotsOf(key)).toHaveLength(7);
  });

  it("are set by publishers, read by everybody, and of one workspace", async () => {
    const [owner, author, publisher] = [await signUp(), await signUp(), await signUp()];
    await join(owner, author, "author");
    await join(owner, publisher, "publisher");
    const { id } = await connect(owner.key, "telegram");
    const as = (who: typeof owner) => ({ token: who.session, headers: { "x-workspace": owner.workspace } });
    const body = { slots: dailySlots("09:30", [id]) };
    expect(await call("PUT", "/v1/slots", { ...as(author), body })).toMatchObject({
      status: 403,
      body: { error: "role_missing", role: "publisher" },
    });
    expect((await call("PUT", "/v1/slots", { ...as(publisher), body })).status).toBe(200);
    expect((await call("GET", "/v1/slots", as(author))).body).toEqual(body);
    expect(await putSlots(author.key, dailySlots("09:30", [id]))).toMatchObject({
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
    await putSlots(key, [
      ...dailySlots("09:30", [gone.id, stays.id]),
      { weekday: 1, time: "12:00", channels: [gone.id] },
    ]);
    await call("DELETE", `/v1/channels/${gone.id}`, { token: key });
    const left = await slotsOf(key);
    expect(left.map(({ channels }) => channels)).toContainEqual([]);
    expect(await listNextSlots(key, [stays.id], 2)).toHaveLength(2);
    expect((await putSlots(key, left)).status).toBe(200);
    await putSlots(key, dailySlots("12:00", [stays.id]));
    await call("DELETE", `/v1/channels/${stays.id}`, { token: key });
    const { handle, platform } = stays;
    const credentials = { identifier: handle, app_password: "abcd-efgh-ijkl-mnop" };
    const body = { platform, handle, credentials };
    expect(await call("POST", "/v1/channels", { token: key, body })).toMatchObject({ body: { id: stays.id } });
    expect(await listNextSlots(key, [stays.id], 1)).toHaveLength(1);
    expect((await slotsOf(key))[0]).toEqual({ weekday: 1, time: "12:00", channels: [stays.id] });
  });
});

describe("the next free slots", () => {
  it("are those without a post on any of the channels, of slots with all of them", async () => {
    const { key } = await signUp();
    const [one, other] = [(await connect(key, "telegram")).id, (await connect(key, "bluesky")).id];
    await putSlots(key, [...dailySlots("08:00", [one]), ...dailySlots("12:00", [one, other]), ...dailySlots("20:00")]);
    const both = await listNextSlots(key, [one, other], 6);
    expect(both).toHaveLength(6);
    expect(both.every((at) => /T(12|20):00:00.000Z$/.test(at))).toBe(true);
    expect((await listNextSlots(key, [one], 6)).some((at) => at.includes("T08:00"))).toBe(true);
    await post(key, { text: "x", channels: [other], publish_at: both[0] });
    expect(await listNextSlots(key, [one, other], 5)).toEqual(both.slice(1));
    expect(await listNextSlots(key, [one], 20)).toContain(both[0]);
  });

  it("are on the workspace's clock, ten where nothing is said, and none without slots", async () => {
    const { key, channel } = await openPlannedWeek();
    await call("PATCH", "/v1/workspace", { token: key, body: { timezone: "Asia/Kathmandu" } });
    const { body } = await call<NextSlots>("GET", `/v1/slots/next?channels=${channel}`, { token: key });
    expect(body.slots).toHaveLength(10);
    for (const { at, at_local } of body.slots) {
      expect(at_local).toMatch(/T(09:30|17:00):00\+05:45$/);
      expect(Date.parse(at_local)).toBe(Date.parse(at));
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
  ])("with %s are refused", async (query, error, field) => {
    const { key } = await signUp();
    const { id } = await connect(key, "telegram");
    const answer = await call("GET", `/v1/slots/next${query.replace("CH", id)}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });
});
