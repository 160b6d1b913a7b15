// How a publisher finds its due deliveries.

import { beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/db/db.ts";
import { PER_CHANNEL_MAX, readDue } from "../../src/store/deliveries/due.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS } from "../support/machine.ts";
import { makeLanePublisher } from "../support/own-publisher.ts";
import { type Account, type ChannelBody, connect, getPost, ledger, post, signUp } from "../support/world.ts";

const SECOND = 1_000;
const sendTimeoutsMs = { telegram: 90_000, bluesky: 30_000 };

let account: Account;
beforeEach(async () => {
  account = await signUp();
});

/** Reads a lane's due deliveries, their posts' texts, and the facts about its channels. */
async function read({ lane = 0, busy = [] as string[] } = {}) {
  const db = openDatabase(testEnv.DB);
  const dueWork = await readDue(db, { workspaceId: account.workspace, lane }, { busy, sendTimeoutsMs });
  return { ...dueWork, texts: dueWork.deliveries.map(({ post }) => post.text) };
}
/** A post that has been due for `ms`. */
async function createDue(text: string, channels: ChannelBody[], ms = SECOND): Promise<string> {
  const ids = channels.map(({ id }) => id);
  const { id } = await post(account.key, { text, channels: ids, publish_at: tomorrow() });
  await age(id, DAY_MS + ms);
  return id;
}
const updateDelivery = (set: string, postId: string, ...values: unknown[]) =>
  testEnv.DB.prepare(`UPDATE deliveries SET ${set} WHERE post_id = ?`)
    .bind(...values, postId)
    .run();
const moveSend = (ms: string) => `sends = json_replace(sends, '$[0].sent_at', (sends ->> '$[0].sent_at') - ${ms})`;

describe("the list of due deliveries", () => {
  it("orders deliveries by their promised times, even if one has been retried", async () => {
    const channel = await connect(account.key, "telegram");
    await createDue("second", [channel], 20 * SECOND);
    await createDue("third", [channel], 10 * SECOND);
    const first = await createDue("first", [channel], 30 * SECOND);
    await updateDelivery("state = 'retry_wait', next_at = next_at + 25000", first);
    await post(account.key, { text: "not yet", channels: [channel.id], publish_at: tomorrow() });
    expect((await read()).texts).toEqual(["first", "second", "third"]);
  });

  it("includes the post, channel and files of each delivery, and the database's time", async () => {
    const channels = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
    const id = await createDue("both", channels);
    const before = Date.now();
    const { deliveries, now } = await read();
    expect(deliveries).toHaveLength(2);
    expect(now).toBeGreaterThanOrEqual(before - 1_000);
    expect(now).toBeLessThanOrEqual(Date.now() + 1_000);
    for (const due of deliveries) {
      expect(due).toMatchObject({ post: { id }, delivery: { postId: id }, media: [], now: expect.any(Number) });
      expect(due.channel.id).toBe(due.delivery.channelId);
    }
    expect(deliveries.map(({ channel }) => channel.id).sort()).toEqual(channels.map(({ id }) => id).sort());
  });

  it("contains a few deliveries per channel, and tells whether the channel has more or a planned time", async () => {
    const [full, calm] = [await connect(account.key, "telegram"), await connect(account.key, "telegram")];
    for (let i = 0; i <= PER_CHANNEL_MAX; i++) await createDue(`post ${i}`, [full], (60 - i) * SECOND);
    await createDue("calm", [calm], SECOND);
    const later = await post(account.key, { text: "later", channels: [calm.id], publish_at: tomorrow() });
    const { texts, channels } = await read();
    expect(texts).toEqual([...Array.from({ length: PER_CHANNEL_MAX }, (_, i) => `post ${i}`), "calm"]);
    expect(channels.find(({ channelId }) => channelId === full.id)).toMatchObject({ hasMore: true, nextAt: null });
    expect(channels.find(({ channelId }) => channelId === calm.id)).toMatchObject({
      hasMore: false,
      nextAt: Date.parse(later.publish_at ?? ""),
    });
  });

  it("contains a few megabytes of posts, and marks the channels of the remaining posts as having more", async () => {
    const channels: ChannelBody[] = [];
    for (let i = 0; i < 8; i++) channels.push(await connect(account.key, "telegram"));
    const overrides = JSON.stringify({ bluesky: { text: "x".repeat(900_000) } });
    for (const [i, channel] of channels.entries()) {
      const id = await createDue(`post ${i}`, [channel], (60 - i) * SECOND);
      await testEnv.DB.prepare("UPDATE posts SET overrides = ? WHERE id = ?").bind(overrides, id).run();
    }
    const { texts, channels: channelStates } = await read();
    // The posts before the fifth are smaller than four mebibytes in total.
    expect(texts).toEqual(["post 0", "post 1", "post 2", "post 3", "post 4"]);
    const channelsWithMore = channelStates.filter(({ hasMore }) => hasMore).map(({ channelId }) => channelId);
    expect(channelsWithMore.sort()).toEqual(
      channels
        .slice(5)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it("leaves out a channel that is being processed", async () => {
    const [busy, free] = [await connect(account.key, "telegram"), await connect(account.key, "telegram")];
    await createDue("busy", [busy]);
    await createDue("free", [free]);
    const due = await read({ busy: [busy.id] });
    expect(due.texts).toEqual(["free"]);
    expect(due.channels.map(({ channelId }) => channelId)).toEqual([free.id]);
    expect(due.hasChannels).toBe(true);
    expect(await read({ busy: [busy.id, free.id] })).toMatchObject({ texts: [], channels: [], hasChannels: true });
  });

  it("leaves out a channel that its network asked us to leave alone, until that time is over", async () => {
    const channel = await connect(account.key, "telegram");
    await createDue("held back", [channel]);
    const until = Date.now() + 60_000;
    const holdBack = (time: number) =>
      testEnv.DB.prepare("UPDATE channels SET not_before = ? WHERE id = ?").bind(time, channel.id).run();
    await holdBack(until);
    expect(await read()).toMatchObject({ texts: [], channels: [{ hasMore: false, nextAt: until }] });
    await holdBack(Date.now() - 1);
    expect((await read()).texts).toEqual(["held back"]);
  });

  it("lists a delivery that another session is sending only after the time limit of its call, and says when", async () => {
    const channel = await connect(account.key, "telegram");
    const sending = await createDue("sending", [channel], 10 * SECOND);
    await createDue("behind", [channel], SECOND);
    const sentAt = Date.now();
    await updateDelivery(
      "state = 'sending', sends = json_array(json_object('sent_at', CAST(? AS INTEGER)))",
      sending,
      sentAt,
    );
    const early = await read();
    expect(early.texts).toEqual(["behind"]);
    const freeAt = early.channels[0]?.nextAt ?? 0;
    expect(freeAt).toBeGreaterThan(sentAt + sendTimeoutsMs.telegram);
    expect(freeAt).toBeLessThan(sentAt + sendTimeoutsMs.telegram + 60_000);
    await updateDelivery(moveSend("?"), sending, freeAt - sentAt - 10_000);
    expect((await read()).texts).toEqual(["behind"]);
    await updateDelivery(moveSend("10000"), sending);
    expect((await read()).texts).toEqual(["sending", "behind"]);
  });

  it("is empty for a lane without channels", async () => {
    await createDue("elsewhere", [await connect(account.key, "telegram")]);
    expect(await read({ lane: 5 })).toMatchObject({ texts: [], channels: [], hasChannels: false });
  });
});

describe("the lanes of a workspace", () => {
  it("splits forty channels among three publishers, each with its own channels", async () => {
    const channels: ChannelBody[] = [];
    for (let i = 0; i < 40; i++) channels.push(await connect(account.key, "telegram"));
    const id = await createDue("to all", channels);
    const sizes = [16, 16, 8];
    for (const [lane, size] of sizes.entries()) {
      const laneChannels = channels.slice(lane * 16, lane * 16 + size);
      const ids = (await read({ lane })).channels.map(({ channelId }) => channelId);
      expect(ids.sort()).toEqual(laneChannels.map((channel) => channel.id).sort());
      await makeLanePublisher({ workspaceId: account.workspace, lane }).work();
      const live = (await getPost(account.key, id)).deliveries.filter(({ status }) => status === "live");
      const expected = channels.slice(0, lane * 16 + size).map((channel) => channel.id);
      expect(live.map(({ channel }) => channel).sort()).toEqual(expected.sort());
    }
    expect((await read({ lane: 3 })).hasChannels).toBe(false);
    for (const { handle } of channels) expect(await ledger(handle)).toHaveLength(1);
  });
});
