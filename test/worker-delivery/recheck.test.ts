// A delivery after it was published: its URL, its removal, its metrics, and late proof that it is live.
import { describe, expect, it } from "vitest";
import { check, checkTogether, isWatched } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
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
  signUp,
  uploadJpeg,
} from "../support/world.ts";
import { getOwnEntries, NEEDS_ANOTHER, publishAnother } from "./published-once.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function publish({ key }: Account, channel: ChannelBody, body: object = {}) {
  const { id } = await post(key, { text: "once", channels: [channel.id], ...body });
  expect((await finished(key, id)).status).toBe("published");
  return id;
}
/** Removes all published posts of the channel on the network, as its user would. */
async function removeAll(channel: ChannelBody): Promise<void> {
  for (const { platform, id } of await getOwnEntries(channel)) {
    const url = `${testEnv.SIMULATORS}/_sim/posts/${platform}/${encodeURIComponent(id)}`;
    expect((await fetch(url, { method: "DELETE" })).ok).toBe(true);
  }
}

describe("a post that its owner removes on the network", () => {
  it.each(["bluesky", "x", "threads", "facebook", "linkedin"])(
    "is marked as removed after two rechecks on %s",
    async (platform) => {
      const account = await signUp();
      const channel = await connect(account.key, platform);
      const needsAnother = NEEDS_ANOTHER.includes(platform);
      if (needsAnother) await publishAnother(account, channel);
      const id = await publish(account, channel);
      await removeAll(channel);
      expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
      // This recheck comes too soon after the first.
      expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
      const removed = await check(account.key, id, needsAnother ? DAY : 15 * MINUTE);
      expect(removed.deliveries[0]).toMatchObject({ status: "removed", error: null });
      expect(await isWatched(id)).toBe(false);
      const { status, body } = await call("DELETE", `/v1/posts/${id}`, { token: account.key });
      expect({ status, error: body.error }).toEqual({ status: 409, error: "post_finished" });
    },
  );

  it("is not marked as removed while the network does not answer", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "x");
    const id = await publish(account, channel);
    await fault({
      platform: "x",
      account: channel.handle,
      call: "tweets/lookup",
      do: "status",
      status: 503,
      count: 20,
    });
    for (let i = 0; i < 4; i++) await check(account.key, id, 20 * MINUTE);
    expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
  });
});

describe("a URL that the network does not report at once", () => {
  const publishWithoutUrl = async () => {
    const account = await signUp();
    const channel = await connect(account.key, "instagram");
    await fault({ platform: "instagram", account: channel.handle, call: "ig-media", do: "status", status: 500 });
    const id = await publish(account, channel, { media: [(await uploadJpeg(account)).id] });
    return { ...account, channel, id };
  };

  it("is found later", async () => {
    const { key, channel, id } = await publishWithoutUrl();
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "live", url: null, url_state: "pending" });
    const [entry] = await ledger(channel.handle);
    expect((await check(key, id)).deliveries[0]).toMatchObject({ url: entry?.url, url_state: null });
  });

  it("is given up after a day", async () => {
    const { key, channel, id } = await publishWithoutUrl();
    await fault({
      platform: "instagram",
      account: channel.handle,
      call: "ig-media",
      do: "status",
      status: 500,
      count: 9,
    });
    expect((await check(key, id)).deliveries[0]).toMatchObject({ url_state: "pending" });
    expect((await check(key, id, DAY)).deliveries[0]).toMatchObject({ url: null, url_state: "not_reported" });
  });
});

describe("a delivery with an unknown outcome", () => {
  const withUnknownOutcome = async () => {
    const account = await signUp();
    const channel = await connect(account.key, "threads");
    const id = await publish(account, channel);
    const { DB } = testEnv;
    await DB.batch([
      DB.prepare(
        `UPDATE deliveries SET state = 'outcome_unknown', last_try = json_object('error', 'outcome_unknown'), has_open_send = 1,
          fencing_token = fencing_token + 1, network_post = NULL, published_at = NULL WHERE post_id = ?`,
      ).bind(id),
      DB.prepare("UPDATE posts SET status = 'failed' WHERE id = ?").bind(id),
    ]);
    expect(await getPost(account.key, id)).toMatchObject({ status: "failed", deliveries: [{ status: "failed" }] });
    return { ...account, channel, id };
  };

  it("becomes live when the network later shows the post, with one event", async () => {
    const { key, channel, id } = await withUnknownOutcome();
    const [entry] = await ledger(channel.handle);
    const live = { status: "live", error: null, url: entry?.url, attempts: 1 };
    expect(await check(key, id)).toMatchObject({ status: "published", deliveries: [live] });
    await check(key, id);
    const { body } = await call<{ events: { event: string }[] }>("GET", "/v1/events", { token: key });
    // One event for the publication, and one for the later proof.
    expect(body.events.map(({ event }) => event)).toEqual(["delivery.succeeded", "delivery.succeeded"]);
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("is reconciled for a day and never sent again", async () => {
    const { key, channel, id } = await withUnknownOutcome();
    await removeAll(channel);
    await fault({
      platform: "threads",
      account: channel.handle,
      call: "threads-container",
      do: "status",
      status: 500,
      count: 20,
    });
    await check(key, id);
    expect(await isWatched(id)).toBe(true);
    expect((await check(key, id, DAY)).deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown" });
    expect(await isWatched(id)).toBe(false);
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("a network that asks us to wait during a recheck", () => {
  const WAIT_S = 7_200;
  const rateLimit = (platform: string, channel: ChannelBody, callName: string) =>
    fault({
      platform,
      account: channel.handle,
      call: callName,
      do: "status",
      status: 429,
      headers: { "retry-after": String(WAIT_S) },
      count: 1,
    });
  const getWaitMinutes = async (posts: string[]) => {
    const { results } = await testEnv.DB.prepare(
      `SELECT check_at - CAST(unixepoch('subsec') * 1000 AS INTEGER) AS wait FROM deliveries
        WHERE post_id IN (SELECT value FROM json_each(?)) ORDER BY post_id`,
    )
      .bind(JSON.stringify(posts))
      .all<{ wait: number }>();
    return results.map(({ wait }) => Math.round(wait / MINUTE));
  };

  it.each([
    ["x", "tweets/lookup"],
    ["threads", "threads-media"],
    ["telegram", "editMessageReplyMarkup"],
  ])(
    "gets no more rechecks of that channel until then on %s, and the next post is published",
    async (platform, callName) => {
      const account = await signUp();
      const channel = await connect(account.key, platform);
      const posts = [];
      for (const text of ["one", "two", "three"]) posts.push(await publish(account, channel, { text }));
      await rateLimit(platform, channel, callName);
      await checkTogether(account.workspace, channel.id, [posts.slice(0, 2), posts.slice(2)]);
      // The fault applies once. A later recheck would have got its ordinary time.
      for (const minutes of await getWaitMinutes(posts)) expect(minutes).toBeGreaterThanOrEqual(WAIT_S / 60 - 1);
      await publish(account, channel, { text: "four" });
    },
  );
});

describe("a disconnected channel", () => {
  it("is not rechecked, and its published posts stay live", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const id = await publish(account, channel);
    await removeAll(channel);
    expect((await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key })).status).toBe(204);
    await check(account.key, id);
    expect((await check(account.key, id, DAY)).deliveries[0]).toMatchObject({ status: "live" });
  });
});
