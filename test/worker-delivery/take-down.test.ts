// Taking down: gone from the network, by its own word, whatever is lost on the way.
import { describe, expect, it } from "vitest";
import { check, giveUpOn, isWatched } from "../support/after.ts";
import { databaseVia } from "../support/breaking-db.ts";
import { callVia } from "../support/databases.ts";
import { testEnv } from "../support/env.ts";
import { sampled } from "../support/sampled.ts";
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

const WAYS: [string, (platform: string) => Promise<void>][] = [
  [
    "the post is gone there, and asking again says the same",
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
    "an answer that is lost is looked for",
    async (platform) => {
      const published = await publishLive(platform);
      await failTakeDownCall(published.channel, { do: "reset_after_accept" });
      expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
    },
  ],

  [
    "a call that never arrived is made again, and nothing is claimed meanwhile",
    async (platform) => {
      const published = await publishLive(platform);
      await failTakeDownCall(published.channel, { do: "reset_before" });
      const { status, body } = await takeDown(published);
      expect({ status, body }).toMatchObject({
        status: 202,
        body: { status: "live", takedown: "pending", removed_by: null },
      });
      expect(await getDeletedFlags(published.channel)).toEqual([false]);
      // To ask again changes nothing of when the network is asked.
      expect((await takeDown(published)).status).toBe(202);
      const { deliveries } = await check(published.account.key, published.id);
      expect(await getDeletedFlags(published.channel)).toEqual([true]);
      expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you", takedown: null });
    },
  ],
];

describe.each(PLATFORMS)("on %s", (platform) => {
  it.each(sampled(WAYS, PLATFORMS.indexOf(platform)))("%s", async (_, run) => run(platform));
});

describe("obstacles", () => {
  it.each(["instagram", "tiktok"])("%s has no such call", async (platform) => {
    expect(await takeDown(await publishLive(platform))).toMatchObject({
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
    const published = await publishLive("bluesky");
    const stranger = await signUp();
    const other = await connect(published.account.key, "x");
    expect((await takeDown(published, stranger.key)).status).toBe(404);
    expect((await takeDown({ ...published, channel: other })).status).toBe(404);
    expect(await getDeletedFlags(published.channel)).toEqual([false]);
  });

  it("a channel that was disconnected", async () => {
    const published = await publishLive("x");
    await call("DELETE", `/v1/channels/${published.channel.id}`, { token: published.account.key });
    expect(await takeDown(published)).toMatchObject({ status: 409, body: { error: "channel_not_connected" } });
  });

  it("the channel is disconnected while it waits: nobody can ask any more, so the outcome is unknown", async () => {
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

  it("the network refuses: the post is live all the same, and may be asked for again", async () => {
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

  it("a grant without the right: the owner is told to connect the channel again", async () => {
    const published = await publishLive("youtube", unique("uploads_"));
    const refused = await takeDown(published);
    expect(refused).toMatchObject({ status: 409, body: { error: "takedown_refused" } });
    expect(refused.body.message).toContain("connect the channel again");
    expect(await getDeletedFlags(published.channel)).toEqual([false]);
  });
});

describe("meanwhile", () => {
  it.each(["bluesky", "x"])("the access token of %s has expired: it is renewed", async (platform) => {
    const published = await publishLive(platform);
    const expire = { platform, account: published.channel.handle, expire_token: true };
    await fault(expire);
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("its user has removed it there: it is gone", async () => {
    const published = await publishLive("pinterest");
    const [entry] = await ledger(published.channel.handle);
    const url = `${testEnv.SIMULATORS}/_sim/posts/pinterest/${encodeURIComponent(entry?.id ?? "")}`;
    await fetch(url, { method: "DELETE" });
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed" } });
  });

  it("the object ended before it wrote what it knew: the network is asked again", async () => {
    const published = await publishLive("threads");
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
    const published = await publishLive("bluesky");
    await failTakeDownCall(published.channel, { do: "reset_before" });
    expect((await takeDown(published)).status).toBe(202);
    const { deliveries } = await giveUpOn(published.account, published.id, published.channel.id);
    expect(deliveries[0]).toMatchObject({ status: "live", takedown: "unknown" });
    expect(deliveries[0]?.hint).toContain("check the network");
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { status: "removed", removed_by: "you" } });
  });

  it("several ask at once: all are told the same", async () => {
    const published = await publishLive("bluesky");
    const answers = await Promise.all(Array.from({ length: 5 }, () => takeDown(published)));
    for (const { status } of answers) expect([200, 202]).toContain(status);
    expect(await takeDown(published)).toMatchObject({ status: 200, body: { removed_by: "you" } });
  });

  it("the account is erased while the caller waits: nothing is said of the network's word", async () => {
    const published = await publishLive("bluesky");
    let isErased = false;
    const DB = databaseVia(testEnv.DB, async (sql, act) => {
      const answer = await act();
      if (!isErased && /update "deliveries" set .*"takedown_state"/s.test(sql)) {
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

it("a post that vanished at the network by itself was not taken down by its owner", async () => {
  const published = await publishLive("bluesky");
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
  expect(await getDeletedFlags(telegram)).toEqual([true]);
  const video = (await uploadVideo(account, 100_000)).id;
  const film = await post(account.key, { text: unique("film "), media: [video], channels: [facebook.id] });
  await finished(account.key, film.id);
  expect((await takeDown({ account, channel: facebook, id: film.id })).status).toBe(200);
  expect(await getDeletedFlags(facebook)).toEqual([true]);
});
