// Taking down: gone from the network, by its own word, whatever is lost on the way.
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/db/db.ts";
import { askForTakedown } from "../../src/store/deliveries/takedowns.ts";
import { check, giveUpOn, isWatched } from "../support/after.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { sampled } from "../support/sampled.ts";
import { TAKEDOWN_CALLS } from "../support/takedown-calls.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  requiredOverrides,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

const PLATFORMS = Object.keys(TAKEDOWN_CALLS);
const MINUTE = 60_000;

async function filesFor(account: Account, platform: string): Promise<string[]> {
  if (["youtube", "tiktok"].includes(platform)) return [(await uploadVideo(account, 100_000)).id];
  if (!["pinterest", "instagram"].includes(platform)) return [];
  return [(await uploadJpeg(account, { width: 400, height: 400 })).id];
}
const OPTIONS: Record<string, object> = {
  youtube: { title: "Film", made_for_kids: false },
  tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" },
};
const overridesOf = (channel: ChannelBody) => ({
  ...requiredOverrides([channel]),
  ...(OPTIONS[channel.platform] === undefined ? {} : { [channel.id]: OPTIONS[channel.platform] }),
});

async function live(platform: string, name?: string) {
  const account = await signUp();
  const channel = await connect(account.key, platform, name);
  const media = await filesFor(account, platform);
  const { id } = await post(account.key, {
    text: unique("down "),
    media,
    channels: [channel.id],
    overrides: overridesOf(channel),
  });
  expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
  return { account, channel, id };
}
type Published = Awaited<ReturnType<typeof live>>;

const takeDown = ({ account, channel, id }: Published, key = account.key) =>
  call("DELETE", `/v1/posts/${id}/deliveries/${channel.id}`, { token: key });
const deleted = async (channel: ChannelBody) => (await ledger(channel.handle)).map((entry) => entry.deleted);
const faultOn = ({ platform, handle }: ChannelBody, how: object) =>
  fault({ platform, account: handle, call: TAKEDOWN_CALLS[platform], ...how });

const WAYS: [string, (platform: string) => Promise<void>][] = [
  [
    "the post is gone there, and asking again says the same",
    async (platform) => {
      const published = await live(platform);
      const { status, body } = await takeDown(published);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { channel: published.channel.id, status: "removed", removed_by: "you", takedown: null, hint: null },
      });
      expect(await deleted(published.channel)).toEqual([true]);
      expect(await isWatched(published.id)).toBe(false);
      expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
    },
  ],

  [
    "an answer that is lost is looked for",
    async (platform) => {
      const published = await live(platform);
      await faultOn(published.channel, { do: "reset_after_accept" });
      expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
    },
  ],

  [
    "a call that never arrived is made again, and nothing is claimed meanwhile",
    async (platform) => {
      const published = await live(platform);
      await faultOn(published.channel, { do: "reset_before" });
      const { status, body } = await takeDown(published);
      expect({ status, body }).toMatchObject({
        status: 202,
        body: { status: "live", takedown: "pending", removed_by: null },
      });
      expect(await deleted(published.channel)).toEqual([false]);
      // To ask again changes nothing of when the network is asked.
      expect((await takeDown(published)).status).toBe(202);
      const { deliveries } = await check(published.account.key, published.id);
      expect(await deleted(published.channel)).toEqual([true]);
      expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you", takedown: null });
    },
  ],
];

describe.each(PLATFORMS)("on %s", (platform) => {
  it.each(sampled(WAYS, PLATFORMS.indexOf(platform)))("%s", async (_, run) => run(platform));
});

describe("obstacles", () => {
  it.each(["instagram", "tiktok"])("%s has no such call", async (platform) => {
    expect(await takeDown(await live(platform))).toMatchObject({
      status: 422,
      body: { error: "takedown_not_offered" },
    });
  });

  it("a delivery that is not live", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const publish_at = new Date(Date.now() + 60 * MINUTE).toISOString();
    const { id } = await post(account.key, { text: "later", channels: [channel.id], publish_at });
    const { status, body } = await takeDown({ account, channel, id });
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { error: "delivery_not_live", message: "The delivery is pending." },
    });
  });

  it("another workspace's post, and a channel that is not on it", async () => {
    const published = await live("bluesky");
    const stranger = await signUp();
    const other = await connect(published.account.key, "x");
    expect((await takeDown(published, stranger.key)).status).toBe(404);
    expect((await takeDown({ ...published, channel: other })).status).toBe(404);
    expect(await deleted(published.channel)).toEqual([false]);
  });

  it("a channel that was disconnected", async () => {
    const published = await live("x");
    await call("DELETE", `/v1/channels/${published.channel.id}`, { token: published.account.key });
    expect(await takeDown(published)).toMatchObject({ status: 409, body: { error: "channel_not_connected" } });
  });

  it("the channel is disconnected while it waits: it is not taken down, and says so", async () => {
    const published = await live("x");
    await faultOn(published.channel, { do: "reset_before" });
    expect((await takeDown(published)).status).toBe(202);
    await call("DELETE", `/v1/channels/${published.channel.id}`, { token: published.account.key });
    const { deliveries } = await check(published.account.key, published.id);
    expect(deliveries[0]).toMatchObject({
      status: "live",
      takedown: "failed",
      hint: "it was not taken down: the channel is not connected",
    });
  });

  it("the network refuses: the post is live all the same, and may be asked for again", async () => {
    const published = await live("telegram");
    const body = { ok: false, error_code: 400, description: "Bad Request: message can't be deleted for everyone" };
    await faultOn(published.channel, { do: "status", status: 400, body });
    const refused = await takeDown(published);
    expect(refused).toMatchObject({ status: 409, body: { error: "takedown_refused" } });
    expect(refused.body.message).toContain("message can't be deleted for everyone");
    const { body: now } = await call("GET", `/v1/posts/${published.id}`, { token: published.account.key });
    expect(now).toMatchObject({ status: "published", deliveries: [{ status: "live", takedown: "failed" }] });
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("a grant without the right: the owner is told to connect the channel again", async () => {
    const published = await live("youtube", unique("uploads_"));
    const refused = await takeDown(published);
    expect(refused).toMatchObject({ status: 409, body: { error: "takedown_refused" } });
    expect(refused.body.message).toContain("connect the channel again");
    expect(await deleted(published.channel)).toEqual([false]);
  });
});

describe("meanwhile", () => {
  it.each(["bluesky", "x"])("the access token of %s has expired: it is renewed", async (platform) => {
    const published = await live(platform);
    const expire = { platform, account: published.channel.handle, expire_token: true };
    await fault(expire);
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("its user has removed it there: it is gone", async () => {
    const published = await live("pinterest");
    const [entry] = await ledger(published.channel.handle);
    const url = `${testEnv.SIMULATORS}/_sim/posts/pinterest/${encodeURIComponent(entry?.id ?? "")}`;
    await fetch(url, { method: "DELETE" });
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("the object ended before it wrote what it knew: the network is asked again", async () => {
    const published = await live("threads");
    expect((await takeDown(published)).status).toBe(200);
    await testEnv.DB.prepare(
      "UPDATE deliveries SET state = 'live', takedown_state = 'due', removed_by = NULL, check_at = 0 WHERE post_id = ?",
    )
      .bind(published.id)
      .run();
    const { deliveries } = await check(published.account.key, published.id);
    expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you" });
  });

  it("the object ends whenever it is at it: nobody knows whether it is down, and it may be asked for again", async () => {
    const published = await live("bluesky");
    await faultOn(published.channel, { do: "reset_before" });
    expect((await takeDown(published)).status).toBe(202);
    const { deliveries } = await giveUpOn(published.account, published.id, published.channel.id);
    expect(deliveries[0]).toMatchObject({ status: "live", takedown: "unknown" });
    expect(deliveries[0]?.hint).toContain("check the network");
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
  });

  it("several ask at once: all are told the same", async () => {
    const published = await live("bluesky");
    const answers = await Promise.all(Array.from({ length: 5 }, () => takeDown(published)));
    for (const { status } of answers) expect([200, 202]).toContain(status);
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { removed_by: "you" } });
  });

  it("a first comment that still waits is not made any more", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "facebook");
    const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
    await fault({ platform: "facebook", account: channel.handle, call: "comments", do: "status", status: 400, body });
    const { id } = await post(account.key, {
      text: unique("down "),
      channels: [channel.id],
      overrides: { [channel.id]: { first_comment: "one" } },
    });
    await finished(account.key, id);
    // The network asked to be left alone, and is.
    expect(await takeDown({ account, channel, id })).toMatchObject({
      status: 202,
      body: { status: "live", takedown: "pending" },
    });
    const { deliveries } = await check(account.key, id);
    expect(deliveries[0]).toMatchObject({ status: "removed", first_comment: "failed" });
  });
});

it.each(["a first comment", "an addition"])("%s is not made once its post is to be taken down", async (what) => {
  const account = await signUp();
  const channel = await connect(account.key, "facebook");
  const body = { error: { message: "(#32) Page request limit reached", code: 32 } };
  const options =
    what === "an addition" ? { thumbnail_media: (await uploadJpeg(account)).id } : { first_comment: "one" };
  for (const call of ["comments", "thumbnails"])
    await fault({ platform: "facebook", account: channel.handle, call, do: "status", status: 400, body });
  const media = [(await uploadVideo(account, 100_000)).id];
  const made = await post(account.key, {
    text: unique("down "),
    media,
    channels: [channel.id],
    overrides: { [channel.id]: options },
  });
  await finished(account.key, made.id);
  const shown = async () => (await getPost(account.key, made.id)).deliveries[0];
  await eventually(async () => expect((await shown())?.hint).toContain("waits"));
  let isAsked = false;
  const db = databaseVia(testEnv.DB, async (sql, act) => {
    if (!isAsked && /^update "deliveries" set .*"(additions|comment_state)".* returning /s.test(sql)) {
      isAsked = true;
      await testEnv.DB.prepare("UPDATE deliveries SET takedown_state = 'due', check_at = 1 WHERE post_id = ?")
        .bind(made.id)
        .run();
    }
    return act();
  });
  await check(account.key, made.id, 0, db);
  expect(isAsked).toBe(true);
  const row = await testEnv.DB.prepare("SELECT comment_state, additions, check_at FROM deliveries WHERE post_id = ?")
    .bind(made.id)
    .first();
  expect(row?.check_at).toBe(1);
  expect(`${row?.comment_state} ${row?.additions}`).toContain("due");
  const [entry, ...others] = await ledger(channel.handle);
  expect([entry?.detail.thumbnails ?? [], others]).toEqual([[], []]);
  await check(account.key, made.id);
  expect(await shown()).toMatchObject({ status: "removed", removed_by: "you" });
});

it("one that is asked for while its post is verified is not put off with the verification", async () => {
  const { account, channel, id } = await live("bluesky");
  const { DB } = testEnv;
  await DB.prepare("UPDATE channels SET not_before = ? WHERE id = ?")
    .bind(Date.now() + 60 * MINUTE, channel.id)
    .run();
  let isRead = false;
  const db = databaseVia(DB, async (sql, act) => {
    const answer = await act();
    if (!isRead && /^select .*"deliveries"/s.test(sql)) {
      isRead = true;
      const key = { workspaceId: account.workspace, postId: id, channelId: channel.id };
      expect(await askForTakedown(openDatabase(DB), key)).toBe(true);
    }
    return answer;
  });
  await check(account.key, id, 0, db);
  expect(isRead).toBe(true);
  const dueIn = async () => {
    const row = await DB.prepare("SELECT check_at FROM deliveries WHERE post_id = ?").bind(id).first();
    return Number(row?.check_at) - Date.now();
  };
  expect(await dueIn()).toBeLessThanOrEqual(MINUTE);
  // Read as due, it waits as long as its network has asked for.
  await check(account.key, id);
  expect(await dueIn()).toBeGreaterThan(15 * MINUTE);
  await DB.prepare("UPDATE channels SET not_before = NULL WHERE id = ?").bind(channel.id).run();
  const { deliveries } = await check(account.key, id);
  expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you" });
});

it("a post that vanished at the network by itself was not taken down by its owner", async () => {
  const published = await live("bluesky");
  const [entry] = await ledger(published.channel.handle);
  await fetch(`${testEnv.SIMULATORS}/_sim/posts/bluesky/${encodeURIComponent(entry?.id ?? "")}`, { method: "DELETE" });
  await check(published.account.key, published.id);
  const { deliveries } = await check(published.account.key, published.id, 15 * MINUTE);
  expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "network" });
});

it("an album of Telegram goes whole, and a reel of Facebook by its video", async () => {
  const account = await signUp();
  const [telegram, facebook] = [await connect(account.key, "telegram"), await connect(account.key, "facebook")];
  const pictures = [await uploadJpeg(account), await uploadJpeg(account)].map(({ id }) => id);
  const album = await post(account.key, { text: unique("album "), media: pictures, channels: [telegram.id] });
  await finished(account.key, album.id);
  expect((await takeDown({ account, channel: telegram, id: album.id })).status).toBe(200);
  expect(await deleted(telegram)).toEqual([true]);
  const video = (await uploadVideo(account, 100_000)).id;
  const film = await post(account.key, { text: unique("film "), media: [video], channels: [facebook.id] });
  await finished(account.key, film.id);
  expect((await takeDown({ account, channel: facebook, id: film.id })).status).toBe(200);
  expect(await deleted(facebook)).toEqual([true]);
});
