// Threads: each part a reply to the one before, once and in order, on every network that takes them.
import { describe, expect, it } from "vitest";
import { check, isWatched } from "../support/after.ts";
import { type Break, breakingDatabase } from "../support/breaking-db.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { duePost, finishedInTime } from "../support/machine.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { sampled } from "../support/sampled.ts";
import { type Account, call, connect, fault, finished, ledger, post, signUp, uploadImage } from "../support/world.ts";
import { getOwnEntries, NEEDS_ANOTHER, publishAnother } from "./published-once.ts";
import { expectInOrder, faultAt, PLATFORMS, REFUSALS, retry, statuses, THREAD, takeDown } from "./thread.ts";

const events = async ({ key }: Account, id: string) =>
  (await call<{ events: { event: string; post: string }[] }>("GET", "/v1/events", { token: key })).body.events
    .filter((event) => event.post === id)
    .map(({ event }) => event);

describe.each(PLATFORMS)("on %s", (platform) => {
  it("all parts go out in order with their files, and only then it is live", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const image = await uploadImage(account, { alt: "a gradient" });
    const { id, deliveries } = await post(account.key, {
      text: "one",
      channels: [channel.id],
      thread: [{ text: "two", media: [image.id] }, { text: "three" }],
    });
    expect(deliveries[0]?.parts).toEqual([0, 1, 2].map((position) => ({ position, status: "pending", url: null })));
    const done = await finished(account.key, id);
    const entries = await expectInOrder(channel, ["one", "two", "three"]);
    expect(entries.map(({ media }) => media.map(({ sha256, alt }) => ({ sha256, alt })))).toEqual([
      [],
      [{ sha256: image.sha256, alt: "a gradient" }],
      [],
    ]);
    expect(done).toMatchObject({
      status: "published",
      thread: [{ text: "two", media: [image.id] }, { text: "three" }],
    });
    expect(done.deliveries[0]).toMatchObject({
      status: "live",
      attempts: 3,
      error: null,
      url: entries[0]?.url,
      parts: entries.map(({ url }, position) => ({ position, status: "live", url })),
    });
    expect(await events(account, id)).toEqual(["delivery.succeeded"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it.each(sampled([0, 1, 2], PLATFORMS.indexOf(platform)))(
    "the lost answer to the part at %i is looked for, and it is there once",
    async (position) => {
      const account = await signUp();
      const channel = await connect(account.key, platform);
      await faultAt(platform, channel, position, { do: "reset_after_accept" });
      const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
      const done = await finished(account.key, id);
      await expectInOrder(channel, ["one", "two", "three"]);
      expect(statuses(done)).toEqual(["live", "live", "live"]);
    },
  );

  it("a part that is refused stops those after it, and a retry goes on with it", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    await faultAt(platform, channel, 1, { do: "status", ...REFUSALS[platform] });
    const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
    const stopped = await finished(account.key, id);
    expect(stopped).toMatchObject({ status: "partially_published", deliveries: [{ error: "content_refused" }] });
    expect(statuses(stopped)).toEqual(["live", "failed", "pending"]);
    expect(stopped.deliveries[0]?.url).toBe((await expectInOrder(channel, ["one"]))[0]?.url);
    expect(await events(account, id)).toEqual(["delivery.failed"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
    expect(await retry(account, id, channel)).toMatchObject({ status: 200 });
    const done = await finished(account.key, id);
    await expectInOrder(channel, ["one", "two", "three"]);
    expect(done).toMatchObject({ status: "published", deliveries: [{ status: "live" }] });
    expect(await events(account, id)).toEqual(["delivery.succeeded", "delivery.failed"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it("is taken down last part first, and asking again goes on where a call was lost", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
    await finished(account.key, id);
    const name = { x: "tweets/delete", bluesky: "com.atproto.repo.deleteRecord", threads: "delete" }[platform];
    const at = { platform, account: channel.handle, call: name };
    await fault({ ...at, skip: 1, do: "reset_before" });
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

  it("each part is verified: the delivery is removed when none is left", async () => {
    const account = await signUp();
    const channel = await connect(account.key, platform);
    const needsAnother = NEEDS_ANOTHER.includes(platform);
    if (needsAnother) await publishAnother(account, channel);
    const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
    await finished(account.key, id);
    const remove = async (entryId = "") =>
      fetch(`${testEnv.SIMULATORS}/_sim/posts/${platform}/${encodeURIComponent(entryId)}`, { method: "DELETE" });
    const [one, two, three] = await getOwnEntries(channel);
    await remove(two?.id);
    const twice = async () => {
      await check(account.key, id);
      // The second search comes ten minutes later, or a day.
      await testEnv.DB.prepare(
        `UPDATE deliveries SET parts = (SELECT json_group_array(CASE WHEN value ->> 'missingSince' IS NULL THEN json(value)
          ELSE json_set(value, '$.missingSince', (value ->> 'missingSince') - ${needsAnother ? 86_460_000 : 660_000}) END) FROM json_each(parts))
          WHERE post_id = ?`,
      )
        .bind(id)
        .run();
      return check(account.key, id);
    };
    const after = await twice();
    expect(after.deliveries[0]).toMatchObject({ status: "live" });
    expect(statuses(after)).toEqual(["live", "removed", "live"]);
    expect(await isWatched(id)).toBe(true);
    await remove(one?.id);
    await remove(three?.id);
    const gone = await twice();
    expect(gone.deliveries[0]).toMatchObject({ status: "removed", removed_by: "network" });
    expect(statuses(gone)).toEqual(["removed", "removed", "removed"]);
    expect(await isWatched(id)).toBe(false);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  const WAYS: [string, Omit<Break, "call">][] = [
    ["dies before a call", { committed: false, how: "dies" }],
    ["dies after a call", { committed: true, how: "dies" }],
    ["gets no answer to a call, which was not carried out", { committed: false, how: "once" }],
    ["gets no answer to a call, which was carried out", { committed: true, how: "once" }],
    ["gets no answer from a call on, the first of which was carried out", { committed: true, how: "away" }],
  ];
  it.each(sampled(WAYS, PLATFORMS.indexOf(platform)))("a publisher that %s: any of them", async (_, way) => {
    const account = await signUp();
    const { key, workspace } = account;
    let broke = 0;
    for (let at = 1; at <= 40; at++) {
      const channel = await connect(key, platform);
      const { id } = await duePost(account, channel, { text: `one ${at}`, thread: [{ text: `two ${at}` }] });
      const { db, use, died } = breakingDatabase(testEnv.DB, { call: at, ...way });
      const storage = memoryStorage();
      const first = await ownPublisher(workspace, channel.id, { db, storage });
      const workOn = async () => {
        // What a network is given time for between two steps passes.
        for (let step = 0; step < 8; step++) {
          await first.work();
          await age(id, 5_000);
        }
      };
      await Promise.race([workOn(), died]);
      const left = storage.reopened();
      const done = await finishedInTime(workspace, key, id, async () => {
        await (await ownPublisher(workspace, channel.id, { storage: left })).work();
      });
      const where = `call ${at}: ${JSON.stringify(done.deliveries[0])}`;
      const out = await ledger(channel.handle);
      const live = statuses(done)?.filter((status) => status === "live").length ?? 0;
      expect(
        out.map(({ text }) => text),
        where,
      ).toEqual([`one ${at}`, `two ${at}`].slice(0, out.length));
      expect(out.length, where).toBeGreaterThanOrEqual(live);
      if (done.deliveries[0]?.status !== "live") {
        const error = done.deliveries[0]?.error;
        expect({ error, platform, how: way.how }, where).toEqual({
          error: "outcome_unknown",
          platform: "x",
          how: "dies",
        });
      }
      expect(await brokenInvariants(workspace), where).toEqual([]);
      if (use.calls < at) break;
      broke = at;
    }
    expect(broke).toBeGreaterThanOrEqual(6);
  });
});
