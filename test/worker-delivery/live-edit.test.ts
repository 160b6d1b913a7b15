// An edit changes the text of a live post on its network, and reports what the network confirmed, whatever is lost on the way.
import { describe, expect, it } from "vitest";
import { check, isWatched } from "../support/after.ts";
import { sampleWays } from "../support/sampled.ts";
import { type ChannelBody, call, fault, getPost, post, signUp, unique } from "../support/world.ts";
import { getOwnEntries, type Published, publishLive, takeDown } from "./published-once.ts";

/** The name of the call that edits a text, by network. */
const EDIT_CALLS: Record<string, string> = {
  facebook: "update",
  linkedin: "posts/partialUpdate",
  telegram: "editMessageText",
  youtube: "videos.update",
};
const PLATFORMS = Object.keys(EDIT_CALLS);

const edit = ({ account, channel, id }: Published, text: string, options: { key?: string; token?: string } = {}) =>
  call("PATCH", `/v1/posts/${id}/deliveries/${channel.id}`, {
    token: options.token ?? account.key,
    body: { text },
    ...(options.key === undefined ? {} : { headers: { "idempotency-key": options.key } }),
  });
const failEdit = ({ platform, handle }: ChannelBody, answer: object) =>
  fault({ platform, account: handle, call: EDIT_CALLS[platform], ...answer });
const getTexts = async (channel: ChannelBody) => (await getOwnEntries(channel)).map(({ text }) => text);
const getDelivery = async ({ account, id }: Published) => (await getPost(account.key, id)).deliveries[0];

const CASES: [string, (platform: string) => Promise<void>][] = [
  [
    "changes the text, shows it in the delivery, and compares it once more",
    async (platform) => {
      const published = await publishLive(platform);
      const text = unique("edited ");
      expect(await edit(published, text)).toMatchObject({
        status: 200,
        body: { status: "live", live_text: text, edit: { status: "done", text }, readback: null },
      });
      expect(await getTexts(published.channel)).toEqual([text]);
      expect(await isWatched(published.id)).toBe(true);
      const { deliveries, text: accepted } = await check(published.account.key, published.id);
      expect(deliveries[0]).toMatchObject({ status: "live", live_text: text, readback: { state: "verified" } });
      expect(accepted).not.toBe(text);
    },
  ],
  [
    "finds out that an edit without an answer was carried out",
    async (platform) => {
      const published = await publishLive(platform);
      await failEdit(published.channel, { do: "reset_after_accept" });
      const text = unique("edited ");
      const { status } = await edit(published, text);
      // Telegram shows no text, so only a repeat can tell.
      expect(status).toBe(platform === "telegram" ? 202 : 200);
      const { deliveries } = await check(published.account.key, published.id);
      expect(deliveries[0]).toMatchObject({ live_text: text, edit: { status: "done" } });
      expect(await getTexts(published.channel)).toEqual([text]);
    },
  ],
  [
    "repeats a call that never arrived, and reports it as pending until then",
    async (platform) => {
      const published = await publishLive(platform);
      await failEdit(published.channel, { do: "reset_before" });
      const text = unique("edited ");
      expect(await edit(published, text)).toMatchObject({
        status: 202,
        body: { status: "live", live_text: null, edit: { status: "pending", text } },
      });
      expect(await getTexts(published.channel)).not.toContain(text);
      expect(await edit(published, text)).toMatchObject({ status: 202 });
      expect(await edit(published, "another")).toMatchObject({ status: 409, body: { error: "edit_pending" } });
      const { deliveries } = await check(published.account.key, published.id);
      expect(deliveries[0]).toMatchObject({ live_text: text, edit: { status: "done" }, hint: null });
      expect(await getTexts(published.channel)).toEqual([text]);
    },
  ],
];

describe.each(PLATFORMS)("an edit of a live text on %s", (platform) => {
  it.each(sampleWays(CASES, PLATFORMS.indexOf(platform)))("%s", async (_, run) => run(platform));
});

describe("edits of live texts", () => {
  it("are refused with the reason on a network that lets no app edit", async () => {
    const refused = await edit(await publishLive("bluesky"), "new");
    expect(refused).toMatchObject({
      status: 422,
      body: { error: "edit_not_offered", message: "Bluesky does not show changes to a post." },
    });
  });

  it("report every problem of a text at once", async () => {
    const refused = await edit(await publishLive("youtube"), `<${"x".repeat(5_001)}`);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      violations: expect.arrayContaining([
        expect.objectContaining({ code: "text_too_long" }),
        expect.objectContaining({ code: "character_not_allowed" }),
      ]),
    });
  });

  it("leave the old text if the network refuses, and can be requested again", async () => {
    const published = await publishLive("telegram");
    const body = { ok: false, error_code: 400, description: "Bad Request: message can't be edited" };
    await failEdit(published.channel, { do: "status", status: 400, body });
    const refused = await edit(published, "new");
    expect(refused).toMatchObject({ status: 409, body: { error: "edit_refused" } });
    expect(refused.body.network_message).toContain("message can't be edited");
    expect(await getDelivery(published)).toMatchObject({ status: "live", live_text: null, edit: { status: "failed" } });
    expect(await edit(published, "new")).toMatchObject({ status: 200, body: { live_text: "new" } });
  });

  it("are made once for each idempotency key, so that a late repeat does not bring an old text back", async () => {
    const published = await publishLive("telegram");
    expect(await edit(published, "first", { key: "k1" })).toMatchObject({ status: 200 });
    expect(await edit(published, "second", { key: "k2" })).toMatchObject({ status: 200 });
    expect(await edit(published, "first", { key: "k1" })).toMatchObject({ status: 200, body: { live_text: "second" } });
    expect(await getTexts(published.channel)).toEqual(["second"]);
    expect(await edit(published, "third", { key: "k1" })).toMatchObject({
      status: 422,
      body: { error: "idempotency_key_reused" },
    });
  });

  it("are reported as an event for each edit", async () => {
    const published = await publishLive("telegram");
    for (const text of ["first", "second"]) await edit(published, text);
    const { body } = await call("GET", `/v1/events?event=delivery.edited&post=${published.id}`, {
      token: published.account.key,
    });
    const edited = { event: "delivery.edited", channel: published.channel.id, error: null };
    expect(body).toMatchObject({ events: [edited, edited] });
  });

  it("are refused for a post that is gone, not live, or another workspace's", async () => {
    const published = await publishLive("telegram");
    const stranger = await signUp();
    expect((await edit(published, "new", { token: stranger.key })).status).toBe(404);
    expect((await takeDown(published)).status).toBe(200);
    expect(await edit(published, "new")).toMatchObject({ status: 409, body: { error: "delivery_not_live" } });
    const publish_at = new Date(Date.now() + 3_600_000).toISOString();
    const later = await post(published.account.key, { text: "later", channels: [published.channel.id], publish_at });
    expect(await edit({ ...published, id: later.id }, "new")).toMatchObject({
      status: 409,
      body: { error: "delivery_not_live" },
    });
  });
});
