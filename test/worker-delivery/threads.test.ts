// Threads: each part is a reply to the previous one, published once and in order on every network that supports
// threads.
import { describe, expect, it } from "vitest";
import { check, isWatched } from "../support/after.ts";
import { type Break, breakingDatabase } from "../support/breaking-db.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { duePost, finishedInTime } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { sampleWays } from "../support/sampled.ts";
import { type Account, call, connect, fault, finished, ledger, post, signUp, uploadImage } from "../support/world.ts";
import { getOwnEntries, NEEDS_ANOTHER, publishAnother } from "./published-once.ts";
import { expectInOrder, faultAt, PLATFORMS, REFUSALS, retry, statuses, THREAD, takeDown } from "./thread.ts";

const getEvents = async ({ key }: Account, id: string) =>
  (await call<{ events: { event: string; post: string }[] }>("GET", "/v1/events", { token: key })).body.events
    .filter((event) => event.post === id)
    .map(({ event }) => event);

describe.each(PLATFORMS)("threads on %s", (platform) => {
  it("publish all parts in order with their files, and are live only then", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const image = await uploadImage(account, { alt: "a gradient" });
    const { id, deliveries } = await post(account.key, {
      text: "one",
      channels: [channel.id],
      thread: [{ text: "two", media: [image.id] }, { text: "three" }],
    });
    expect(deliveries[0]?.parts).toEqual([0, 1, 2].map((position) => ({ position, status: "pending", url: null })));
    const finishedPost = await finished(account.key, id);
    const entries = await expectInOrder(channel, ["one", "two", "three"]);
    expect(entries.map(({ media }) => media.map(({ sha256, alt }) => ({ sha256, alt })))).toEqual([
      [],
      [{ sha256: image.sha256, alt: "a gradient" }],
      [],
    ]);
    expect(finishedPost).toMatchObject({
      status: "published",
      thread: [{ text: "two", media: [image.id] }, { text: "three" }],
    });
    expect(finishedPost.deliveries[0]).toMatchObject({
      status: "live",
      attempts: 3,
      error: null,
      url: entries[0]?.url,
      parts: entries.map(({ url }, position) => ({ position, status: "live", url })),
    });
    expect(await getEvents(account, id)).toEqual(["delivery.succeeded"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it.each(sampleWays([0, 1, 2], PLATFORMS.indexOf(platform)))(
    "reconcile a lost answer to the part at %i, which is published once",
    async (position) => {
      const account = await signUp();
      const channel = await connect(account.key, platform);
      await faultAt(platform, channel, position, { do: "reset_after_accept" });
      const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
      const finishedPost = await finished(account.key, id);
      await expectInOrder(channel, ["one", "two", "three"]);
      expect(statuses(finishedPost)).toEqual(["live", "live", "live"]);
    },
  );

  it("stop at a rejected part, and a retry continues with it", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    await faultAt(platform, channel, 1, { do: "status", ...REFUSALS[platform] });
    const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
    const stopped = await finished(account.key, id);
    expect(stopped).toMatchObject({ status: "partially_published", deliveries: [{ error: "content_refused" }] });
    expect(statuses(stopped)).toEqual(["live", "failed", "pending"]);
    expect(stopped.deliveries[0]?.url).toBe((await expectInOrder(channel, ["one"]))[0]?.url);
    expect(await getEvents(account, id)).toEqual(["delivery.failed"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
    expect(await retry(account, id, channel)).toMatchObject({ status: 200 });
    const finishedPost = await finished(account.key, id);
    await expectInOrder(channel, ["one", "two", "three"]);
    expect(finishedPost).toMatchObject({ status: "published", deliveries: [{ status: "live" }] });
    expect(await getEvents(account, id)).toEqual(["delivery.succeeded", "delivery.failed"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it("are taken down from the last part to the first, and a repeated request continues after a lost call", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
    await finished(account.key, id);
    const name = { x: "tweets/delete", bluesky: "com.atproto.repo.deleteRecord", threads: "delete" }[platform];
    const target = { platform, account: channel.handle, call: name };
    await fault({ ...target, skip: 1, do: "reset_before" });
    const first = await takeDown(account, id, channel);
    expect(first).toMatchObject({ status: 202, body: { status: "live", takedown: "pending" } });
    expect((await ledger(channel.handle)).map(({ deleted }) => deleted)).toEqual([false, false, true]);
    const { deliveries } = await check(account.key, id);
    expect((await ledger(channel.handle)).map(({ deleted }) => deleted)).toEqual([true, true, true]);
    expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you", takedown: null });
    expect(deliveries[0]?.parts?.map(({ status }) => status)).toEqual(["removed", "removed", "removed"]);
    expect(await takeDown(account, id, channel)).toMatchObject({ status: 200, body: { status: "removed" } });
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it("are rechecked part by part, and are removed when no part is left", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const needsAnother = NEEDS_ANOTHER.includes(platform);
    if (needsAnother) await publishAnother(account, channel);
    const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
    await finished(account.key, id);
    const remove = async (entryId = "") =>
      fetch(`${testEnv.SIMULATORS}/_sim/posts/${platform}/${encodeURIComponent(entryId)}`, { method: "DELETE" });
    const [first, second, third] = await getOwnEntries(channel);
    await remove(second?.id);
    const checkTwice = async () => {
      await check(account.key, id);
      // The second search comes ten minutes later, or a day later if the network needs another post.
      await testEnv.DB.prepare(
        `UPDATE thread_parts SET missing_since = missing_since - ${needsAnother ? 86_460_000 : 660_000} WHERE post_id = ?`,
      )
        .bind(id)
        .run();
      return check(account.key, id);
    };
    const after = await checkTwice();
    expect(after.deliveries[0]).toMatchObject({ status: "live" });
    expect(statuses(after)).toEqual(["live", "removed", "live"]);
    expect(await isWatched(id)).toBe(true);
    await remove(first?.id);
    await remove(third?.id);
    const removed = await checkTwice();
    expect(removed.deliveries[0]).toMatchObject({ status: "removed", removed_by: "network" });
    expect(statuses(removed)).toEqual(["removed", "removed", "removed"]);
    expect(await isWatched(id)).toBe(false);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  const FAILURES: [string, Omit<Break, "call">][] = [
    ["dies before a call", { committed: false, how: "dies" }],
    ["dies after a call", { committed: true, how: "dies" }],
    ["gets no answer to a call that was not carried out", { committed: false, how: "once" }],
    ["gets no answer to a call that was carried out", { committed: true, how: "once" }],
    ["gets no answers any more, from a call that was carried out", { committed: true, how: "away" }],
  ];
  it.each(sampleWays(FAILURES, PLATFORMS.indexOf(platform)))(
    "publish each part at most once and report the truth if the publisher %s, at every call",
    async (_, failure) => {
      const account = await signUp();
      const { key, workspace } = account;
      let lastBrokenCall = 0;
      for (let callNumber = 1; callNumber <= 40; callNumber++) {
        const channel = await connect(key, platform);
        const { id } = await duePost(account, channel, {
          text: `one ${callNumber}`,
          thread: [{ text: `two ${callNumber}` }],
        });
        const { db, use, died } = breakingDatabase(testEnv.DB, { call: callNumber, ...failure });
        const storage = memoryStorage();
        const publisher = await ownPublisher(workspace, channel.id, { db, storage });
        const publishSlowly = async () => {
          // Lets the waits between two steps pass.
          for (let step = 0; step < 8; step++) {
            await publisher.work();
            await age(id, 5_000);
          }
        };
        await Promise.race([publishSlowly(), died]);
        const storageAfterCrash = storage.reopened();
        const finishedPost = await finishedInTime(workspace, key, id, async () => {
          await (await ownPublisher(workspace, channel.id, { storage: storageAfterCrash })).work();
        });
        const label = `call ${callNumber}: ${JSON.stringify(finishedPost.deliveries[0])}`;
        const entries = await ledger(channel.handle);
        const live = statuses(finishedPost)?.filter((status) => status === "live").length ?? 0;
        expect(
          entries.map(({ text }) => text),
          label,
        ).toEqual([`one ${callNumber}`, `two ${callNumber}`].slice(0, entries.length));
        expect(entries.length, label).toBeGreaterThanOrEqual(live);
        if (finishedPost.deliveries[0]?.status !== "live") {
          const error = finishedPost.deliveries[0]?.error;
          expect({ error, platform, how: failure.how }, label).toEqual({
            error: "outcome_unknown",
            platform: "x",
            how: "dies",
          });
        }
        expect(await brokenInvariants(workspace), label).toEqual([]);
        if (use.calls < callNumber) break;
        lastBrokenCall = callNumber;
      }
      expect(lastBrokenCall).toBeGreaterThanOrEqual(6);
    },
  );
});
