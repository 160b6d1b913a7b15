// A takedown removes the post from the network and reports what the network confirmed, whatever is lost on the way.
import { describe, expect, it } from "vitest";
import { check, giveUpOn, isWatched } from "../support/after.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { callVia } from "../support/databases.ts";
import { testEnv } from "../support/env.ts";
import { sampleWays } from "../support/sampled.ts";
import { TAKEDOWN_CALLS } from "../support/takedown-calls.ts";
import {
  call,
  connect,
  fault,
  finished,
  ledger,
  post,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";
import { failTakeDownCall, getDeletedFlags, publishLive, takeDown } from "./published-once.ts";

const PLATFORMS = Object.keys(TAKEDOWN_CALLS);
const MINUTE = 60_000;

const CASES: [string, (platform: string) => Promise<void>][] = [
  [
    "removes the post, and a repeated request gets the same answer",
    async (platform) => {
      const published = await publishLive(platform);
      const { status, body } = await takeDown(published);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { channel: published.channel.id, status: "removed", removed_by: "you", takedown: null, hint: null },
      });
      expect(await getDeletedFlags(published.channel)).toEqual([true]);
      expect(await isWatched(published.id)).toBe(false);
      expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
    },
  ],

  [
    "reconciles a lost answer",
    async (platform) => {
      const published = await publishLive(platform);
      await failTakeDownCall(published.channel, { do: "reset_after_accept" });
      expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
    },
  ],

  [
    "repeats a call that never arrived, and reports it as pending until then",
    async (platform) => {
      const published = await publishLive(platform);
      await failTakeDownCall(published.channel, { do: "reset_before" });
      const { status, body } = await takeDown(published);
      expect({ status, body }).toMatchObject({
        status: 202,
        body: { status: "live", takedown: "pending", removed_by: null },
      });
      expect(await getDeletedFlags(published.channel)).toEqual([false]);
      // A repeated request does not change when the network is asked.
      expect((await takeDown(published)).status).toBe(202);
      const { deliveries } = await check(published.account.key, published.id);
      expect(await getDeletedFlags(published.channel)).toEqual([true]);
      expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you", takedown: null });
    },
  ],
];

describe.each(PLATFORMS)("a takedown on %s", (platform) => {
  it.each(sampleWays(CASES, PLATFORMS.indexOf(platform)))("%s", async (_, run) => run(platform));
});

describe("rejected takedowns", () => {
  it.each(["instagram", "tiktok"])("are rejected for %s, which has no such call", async (platform) => {
    expect(await takeDown(await publishLive(platform))).toMatchObject({
      status: 422,
      body: { error: "takedown_not_offered" },
    });
  });

  it("are rejected for a delivery that is not live", async () => {
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

  it("are rejected for another workspace's post, and for a channel that the post does not have", async () => {
    const published = await publishLive("bluesky");
    const stranger = await signUp();
    const otherChannel = await connect(published.account.key, "x");
    expect((await takeDown(published, stranger.key)).status).toBe(404);
    expect((await takeDown({ ...published, channel: otherChannel })).status).toBe(404);
    expect(await getDeletedFlags(published.channel)).toEqual([false]);
  });

  it("are rejected for a disconnected channel", async () => {
    const published = await publishLive("x");
    await call("DELETE", `/v1/channels/${published.channel.id}`, { token: published.account.key });
    expect(await takeDown(published)).toMatchObject({ status: 409, body: { error: "channel_not_connected" } });
  });

  it("end as unknown if the channel is disconnected while the takedown is pending", async () => {
    const published = await publishLive("x");
    await failTakeDownCall(published.channel, { do: "reset_before" });
    expect((await takeDown(published)).status).toBe(202);
    await call("DELETE", `/v1/channels/${published.channel.id}`, { token: published.account.key });
    const { deliveries } = await check(published.account.key, published.id);
    expect(deliveries[0]).toMatchObject({
      status: "live",
      takedown: "unknown",
      hint: "it may not have been taken down; check the network: the channel is not connected",
    });
  });

  it("leave the post live if the network refuses, and can be requested again", async () => {
    const published = await publishLive("telegram");
    const body = { ok: false, error_code: 400, description: "Bad Request: message can't be deleted for everyone" };
    await failTakeDownCall(published.channel, { do: "status", status: 400, body });
    const refused = await takeDown(published);
    expect(refused).toMatchObject({ status: 409, body: { error: "takedown_refused" } });
    expect(refused.body.network_message).toContain("message can't be deleted for everyone");
    const { body: now } = await call("GET", `/v1/posts/${published.id}`, { token: published.account.key });
    expect(now).toMatchObject({ status: "published", deliveries: [{ status: "live", takedown: "failed" }] });
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("tell the owner to reconnect the channel if the grant lacks the permission", async () => {
    const published = await publishLive("youtube", unique("uploads_"));
    const refused = await takeDown(published);
    expect(refused).toMatchObject({ status: 409, body: { error: "takedown_refused" } });
    expect(refused.body.message).toContain("connect the channel again");
    expect(await getDeletedFlags(published.channel)).toEqual([false]);
  });
});

describe("a takedown under difficult circumstances", () => {
  it.each(["bluesky", "x"])("renews an expired access token on %s", async (platform) => {
    const published = await publishLive(platform);
    const expire = { platform, account: published.channel.handle, expire_token: true };
    await fault(expire);
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("succeeds if the user has already removed the post on the network", async () => {
    const published = await publishLive("pinterest");
    const [entry] = await ledger(published.channel.handle);
    const url = `${testEnv.SIMULATORS}/_sim/posts/pinterest/${encodeURIComponent(entry?.id ?? "")}`;
    await fetch(url, { method: "DELETE" });
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("asks the network again if the object ended before it recorded the result", async () => {
    const published = await publishLive("threads");
    expect((await takeDown(published)).status).toBe(200);
    await testEnv.DB.batch(
      [
        "UPDATE deliveries SET state = 'live', check_at = 0 WHERE post_id = ?",
        "UPDATE follow_ups SET state = 'due' WHERE post_id = ?",
      ].map((sql) => testEnv.DB.prepare(sql).bind(published.id)),
    );
    const { deliveries } = await check(published.account.key, published.id);
    expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you" });
  });

  it("ends as unknown if its object crashes every time, and can be requested again", async () => {
    const published = await publishLive("bluesky");
    await failTakeDownCall(published.channel, { do: "reset_before" });
    expect((await takeDown(published)).status).toBe(202);
    const { deliveries } = await giveUpOn(published.account, published.id, published.channel.id);
    expect(deliveries[0]).toMatchObject({ status: "live", takedown: "unknown" });
    expect(deliveries[0]?.hint).toContain("check the network");
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
  });

  it("gives the same answer to several simultaneous requests", async () => {
    const published = await publishLive("bluesky");
    const answers = await Promise.all(Array.from({ length: 5 }, () => takeDown(published)));
    for (const { status } of answers) expect([200, 202]).toContain(status);
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { removed_by: "you" } });
  });

  it("answers with not_found if the account is erased while the caller waits, and quotes no network", async () => {
    const published = await publishLive("bluesky");
    let isErased = false;
    const DB = databaseVia(testEnv.DB, async (sql, act) => {
      const answer = await act();
      if (!isErased && /insert into "follow_ups" .* returning /s.test(sql)) {
        isErased = true;
        await call("DELETE", "/v1/auth/me", { token: published.account.session });
      }
      return answer;
    });
    const path = `/v1/posts/${published.id}/deliveries/${published.channel.id}`;
    const answer = await callVia({ DB }, "DELETE", path, { token: published.account.key });
    expect(isErased).toBe(true);
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  it("drops a first comment that is still pending", async () => {
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
    // The network has asked us to wait, and the takedown waits.
    expect(await takeDown({ account, channel, id })).toMatchObject({
      status: 202,
      body: { status: "live", takedown: "pending" },
    });
    const { deliveries } = await check(account.key, id);
    expect(deliveries[0]).toMatchObject({ status: "removed", first_comment: "failed" });
  });
});

it("reports a post that vanished on its network as removed by the network, not by its owner", async () => {
  const published = await publishLive("bluesky");
  const [entry] = await ledger(published.channel.handle);
  await fetch(`${testEnv.SIMULATORS}/_sim/posts/bluesky/${encodeURIComponent(entry?.id ?? "")}`, { method: "DELETE" });
  await check(published.account.key, published.id);
  const { deliveries } = await check(published.account.key, published.id, 15 * MINUTE);
  expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "network" });
});

it("takes down a whole album on Telegram, and a reel on Facebook by its video", async () => {
  const account = await signUp();
  const [telegram, facebook] = [await connect(account.key, "telegram"), await connect(account.key, "facebook")];
  const pictures = [await uploadJpeg(account), await uploadJpeg(account)].map(({ id }) => id);
  const album = await post(account.key, { text: unique("album "), media: pictures, channels: [telegram.id] });
  await finished(account.key, album.id);
  expect((await takeDown({ account, channel: telegram, id: album.id })).status).toBe(200);
  expect(await getDeletedFlags(telegram)).toEqual([true]);
  const video = (await uploadVideo(account, 100_000)).id;
  const film = await post(account.key, { text: unique("film "), media: [video], channels: [facebook.id] });
  await finished(account.key, film.id);
  expect((await takeDown({ account, channel: facebook, id: film.id })).status).toBe(200);
  expect(await getDeletedFlags(facebook)).toEqual([true]);
});
