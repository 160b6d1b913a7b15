// What becomes of a delivery after it was published: its address, its removal, its figures; and proof that comes late.
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
import { ledgerOf, NEEDS_ANOTHER, publishAnother } from "./published-once.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function publish({ key }: Account, channel: ChannelBody, body: object = {}) {
  const { id } = await post(key, { text: "once", channels: [channel.id], ...body });
  expect((await finished(key, id)).status).toBe("published");
  return id;
}
/** The user removes on the network whatever was published there. */
async function removeAll(channel: ChannelBody): Promise<void> {
  for (const { platform, id } of await ledgerOf(channel)) {
    const url = `${testEnv.SIMULATORS}/_sim/posts/${platform}/${encodeURIComponent(id)}`;
    expect((await fetch(url, { method: "DELETE" })).ok).toBe(true);
  }
}

describe("a post that its owner removes on the network", () => {
  it.each(["bluesky", "x", "threads", "facebook", "linkedin"])(
    "%s: two looks later it is removed",
    async (platform) => {
      const account = await signUp();
      const channel = await connect(account.key, platform);
      const needsAnother = NEEDS_ANOTHER.includes(platform);
      if (needsAnother) await publishAnother(account, channel);
      const id = await publish(account, channel);
      await removeAll(channel);
      expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
      // Too soon after the first.
      expect((await check(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
      const removed = await check(account.key, id, needsAnother ? DAY : 15 * MINUTE);
      expect(removed.deliveries[0]).toMatchObject({ status: "removed", error: null });
      expect(await isWatched(id)).toBe(false);
      const { status, body } = await call("DELETE", `/v1/posts/${id}`, { token: account.key });
      expect({ status, error: body.error }).toEqual({ status: 409, error: "post_finished" });
    },
  );

  it("a network that cannot be asked never makes it so", async () => {
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

describe("an address that the network does not name at once", () => {
  const late = async () => {
    const account = await signUp();
    const channel = await connect(account.key, "instagram");
    await fault({ platform: "instagram", account: channel.handle, call: "ig-media", do: "status", status: 500 });
    const id = await publish(account, channel, { media: [(await uploadJpeg(account)).id] });
    return { ...account, channel, id };
  };

  it("is found later", async () => {
    const { key, channel, id } = await late();
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "live", url: null, url_state: "pending" });
    const [entry] = await ledger(channel.handle);
    expect((await check(key, id)).deliveries[0]).toMatchObject({ url: entry?.url, url_state: null });
  });

  it("is not waited for for ever", async () => {
    const { key, channel, id } = await late();
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

describe("a delivery of which nobody knew", () => {
  const withUnknownOutcome = async () => {
    const account = await signUp();
    const channel = await connect(account.key, "threads");
    const id = await publish(account, channel);
    const { DB } = testEnv;
    await DB.batch([
      DB.prepare(
        `UPDATE deliveries SET state = 'outcome_unknown', error = 'outcome_unknown', has_open_send = 1, fencing_token = fencing_token + 1,
          net_post_id = NULL, url = NULL, published_at = NULL WHERE post_id = ?`,
      ).bind(id),
      DB.prepare("UPDATE posts SET status = 'failed' WHERE id = ?").bind(id),
    ]);
    expect(await getPost(account.key, id)).toMatchObject({ status: "failed", deliveries: [{ status: "failed" }] });
    return { ...account, channel, id };
  };

  it("is live when the network shows later that it was published, and is an event once", async () => {
    const { key, channel, id } = await withUnknownOutcome();
    const [entry] = await ledger(channel.handle);
    const live = { status: "live", error: null, url: entry?.url, attempts: 1 };
    expect(await check(key, id)).toMatchObject({ status: "published", deliveries: [live] });
    await check(key, id);
    const { body } = await call<{ events: { event: string }[] }>("GET", "/v1/events", { token: key });
    // One when it was published, one for the proof of the later try.
    expect(body.events.map(({ event }) => event)).toEqual(["delivery.succeeded", "delivery.succeeded"]);
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("is looked for during a day, and never sent again", async () => {
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

describe("a network that asks to wait while posts are looked at", () => {
  const WAIT_S = 7_200;
  const slowDown = (platform: string, channel: ChannelBody, on: string) =>
    fault({
      platform,
      account: channel.handle,
      call: on,
      do: "status",
      status: 429,
      headers: { "retry-after": String(WAIT_S) },
      count: 1,
    });
  const waitsOf = async (posts: string[]) => {
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
  ])("%s is asked nothing more of that channel until then, and its next post goes out", async (platform, on) => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const posts = [];
    for (const text of ["one", "two", "three"]) posts.push(await publish(account, channel, { text }));
    await slowDown(platform, channel, on);
    await checkTogether(account.workspace, channel.id, [posts.slice(0, 2), posts.slice(2)]);
    // The fault strikes once: had anything been asked after it, that would have its ordinary time.
    for (const minutes of await waitsOf(posts)) expect(minutes).toBeGreaterThanOrEqual(WAIT_S / 60 - 1);
    await publish(account, channel, { text: "four" });
  });
});

describe("a channel that is disconnected", () => {
  it("is not asked, and what it published stays live", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const id = await publish(account, channel);
    await removeAll(channel);
    expect((await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key })).status).toBe(204);
    await check(account.key, id);
    expect((await check(account.key, id, DAY)).deliveries[0]).toMatchObject({ status: "live" });
  });
});
