// Several sessions process the same delivery, or believe that they do: in any order, it is published at most once.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { makeGuard } from "../../src/store/deliveries/due.ts";
import type { DeliveryRecord } from "../../src/store/deliveries/record.ts";
import type { SendIntent } from "../../src/store/deliveries/send-intent.ts";
import { recordDeliveries, writeDeliveries } from "../../src/store/deliveries/write.ts";
import { publishedSince } from "../../src/store/metrics.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { age, getPublisher } from "../support/lanes.ts";
import { DAY_MS, deliverMessage, sweepNow } from "../support/machine.ts";
import { deliverAlone, nextDue } from "../support/one-session.ts";
import { heldNetworks, ownPublisher } from "../support/own-publisher.ts";
import { call, connect, finished, getPost, ledger, post, signUp, uploadVideo } from "../support/world.ts";

describe("the same queue message twice", () => {
  it.each(["bluesky", "telegram"])("publishes one post on %s for ten simultaneous messages", async (platform) => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, platform);
    const { id } = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    await deliverMessage(workspace, channel.id, 10);
    const finishedPost = await finished(key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    await deliverMessage(workspace, channel.id, 3);
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("a crash between the commit and the alarm", () => {
  it("lets the sweeper find the post and publish it once", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "forgotten", channels: [channel.id], publish_at: tomorrow() });
    const { stub } = await getPublisher(workspace, channel.id);
    await runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm());
    await age(id, DAY_MS + 60_000);
    expect((await getPost(key, id)).status).toBe("queued");

    await sweepNow();
    const finishedPost = await finished(key, id);
    expect(finishedPost.status).toBe("published");
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("a worker whose clock is wrong", () => {
  it("asks a network that is still processing at the time that the network named, not at once or endlessly", async () => {
    const account = await signUp();
    const { key, workspace } = account;
    const channel = await connect(key, "youtube");
    const file = await uploadVideo(account, 4_096);
    const body = await post(key, {
      text: "slow",
      media: [file.id],
      channels: [channel.id],
      overrides: { [channel.id]: { title: "slow", made_for_kids: false } },
      publish_at: tomorrow(),
    });
    await age(body.id, DAY_MS);
    const realCtx = compose(testEnv, () => {});
    const offsetMs = 600_000;
    const now = () => Date.now() - offsetMs;
    const ctx = { ...realCtx, now, networkIO: (name: string) => ({ ...realCtx.networkIO(name), now }) };
    const due = (await nextDue(ctx.databaseOf(workspace), workspace, channel.id)) ?? expect.fail("nothing is due");
    await deliverAlone(ctx, due);
    const row = await testEnv.DB.prepare("SELECT state, next_at FROM deliveries WHERE post_id = ?")
      .bind(body.id)
      .first();
    expect(row).toMatchObject({ state: "processing" });
    expect(Number(row?.next_at)).toBeGreaterThan(due.now);
  });
});

describe("versions and fencing tokens", () => {
  /** A due post, as several sessions find it at once. */
  async function createDue() {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const db = openDatabase(testEnv.DB);
    const due = (await nextDue(db, workspace, channel.id)) ?? expect.fail("nothing is due");
    return { key, workspace, channel, id, db, guard: (session: string) => makeGuard(due, session) };
  }
  const writeIntent = async (intent: SendIntent) =>
    (await writeDeliveries(openDatabase(testEnv.DB), [], [intent])).intents;
  const buildIntent = (guard: DeliveryRecord["guard"]) => ({ guard, publishKey: "key", payloadHash: "hash" });

  it("allow only one of twenty sessions that found the same delivery to send it", async () => {
    const { workspace, guard } = await createDue();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => writeIntent(buildIntent(guard(`session ${i}`)))),
    );
    expect(results.flat().filter((intended) => intended !== null)).toHaveLength(1);
    // An unsealed publish key must not disturb other tests.
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(workspace).run();
  });

  it("reject the record of an overtaken session, except for its proof that the post is live, which counts once", async () => {
    const { key, workspace, channel, id, db, guard } = await createDue();
    const [old, next] = [guard("stale"), guard("next")];
    expect(await writeIntent(buildIntent(next))).toMatchObject([{ sentAt: expect.any(Number) }]);
    expect(await writeIntent(buildIntent(old))).toEqual([null]);
    const failed = {
      state: "failed",
      nextAt: null,
      hasOpenSend: false,
      retries: 0,
      error: "content_refused",
      detail: null,
      event: null,
    } as const;
    const followUp = { checkAt: null, kinds: [], hasFiles: false };
    const record: DeliveryRecord = { guard: old, decision: failed, event: null, followUp };
    expect(await recordDeliveries(db, [record])).toMatchObject([{ written: false }]);
    expect((await getPost(key, id)).deliveries[0]?.status).toBe("publishing");

    // The wait that the network has asked for still applies to the channel.
    const notBefore = Date.now() + 900_000;
    const putOff = { ...failed, state: "retry_wait", nextAt: notBefore, channelNotBefore: notBefore } as const;
    expect(await recordDeliveries(db, [{ ...record, decision: putOff }])).toMatchObject([{ written: false }]);
    const channelRow = await testEnv.DB.prepare("SELECT not_before FROM channels WHERE id = ?")
      .bind(channel.id)
      .first();
    expect(channelRow).toEqual({ not_before: notBefore });

    const live = {
      ...failed,
      state: "live",
      error: null,
      live: { id: "1/1", url: "https://t.me/x/1", urlState: "none" },
    } as const;
    const event = { id: `evt_${id}`, event: "delivery.succeeded", body: "{}", createdAt: Date.now() };
    const published = async () =>
      (await publishedSince(db, workspace, Math.floor(Date.now() / DAY_MS))).map((day) => day.deliveries);
    for (let i = 0; i < 2; i++) {
      const proof = { ...record, decision: live, event };
      expect(await recordDeliveries(db, [proof])).toMatchObject([{ written: true }]);
      expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "live", url: "https://t.me/x/1" });
      expect(await published()).toEqual([1]);
    }
    const late = { ...record, guard: { ...next, version: next.version + 1 } };
    expect(await recordDeliveries(db, [late])).toMatchObject([{ written: false }]);
    expect((await getPost(key, id)).deliveries[0]?.status).toBe("live");
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(workspace).run();
  });
});

describe("two publishers of one lane at once", () => {
  it.each(["telegram", "bluesky", "x"])("publish each post on %s once", async (platform) => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, platform);
    const ids: string[] = [];
    for (const text of ["first", "second", "third"]) {
      const { id } = await post(key, { text, channels: [channel.id], publish_at: tomorrow() });
      await age(id, DAY_MS);
      ids.push(id);
    }
    const publishers = [await ownPublisher(workspace, channel.id), await ownPublisher(workspace, channel.id)];
    await Promise.all(publishers.map(({ work }) => work()));
    for (const { work } of publishers) await work();
    for (const id of ids) {
      expect((await finished(key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    }
    const texts = (await ledger(channel.handle)).map(({ text }) => text);
    expect(texts.sort()).toEqual(["first", "second", "third"]);
  });
});

describe("cancelling", () => {
  it("stops deliveries that have not started, and returns their count to the month", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    const count = () =>
      testEnv.DB.prepare("SELECT posts FROM usage_months WHERE workspace_id = ?").bind(workspace).first("posts");
    expect(await count()).toBe(1);
    const cancelled = await call("DELETE", `/v1/posts/${id}`, { token: key });
    expect(cancelled).toMatchObject({
      status: 200,
      body: { status: "cancelled", deliveries: [{ status: "cancelled" }] },
    });
    expect(await count()).toBe(0);
    await age(id, DAY_MS);
    await deliverMessage(workspace, channel.id);
    expect(await ledger(channel.handle)).toHaveLength(0);
    expect(await call("DELETE", `/v1/posts/${id}`, { token: key })).toMatchObject({
      status: 409,
      body: { error: "post_finished" },
    });
  });

  it("stops a delivery before its send intent if its post is cancelled after a session has started", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const ctx = compose(testEnv, () => {});
    const due = (await nextDue(ctx.databaseOf(workspace), workspace, channel.id)) ?? expect.fail("nothing is due");
    await call("DELETE", `/v1/posts/${id}`, { token: key });
    expect(await deliverAlone(ctx, due)).toBeNull();
    expect(await getPost(key, id)).toMatchObject({ status: "cancelled", deliveries: [{ attempts: 0 }] });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });

  it("rejects the cancellation of a post that is being sent, and the delivery ends truthfully", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "on its way", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const { world, begun: sendStarted, release } = heldNetworks();
    const working = (await ownPublisher(workspace, channel.id, { world })).work();
    await sendStarted;
    expect((await getPost(key, id)).deliveries[0]?.attempts).toBe(1);
    const cancel = () => call("DELETE", `/v1/posts/${id}`, { token: key });
    for (const again of [await cancel(), await cancel()]) {
      expect(again).toMatchObject({ status: 409, body: { error: "post_not_cancellable" } });
    }
    release();
    await working;
    expect((await getPost(key, id)).deliveries[0]?.status).toBe("live");
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("stops the other deliveries of a post of which one is being sent, even if it is requested twice", async () => {
    const { key, workspace } = await signUp();
    const [first, second] = [await connect(key, "telegram"), await connect(key, "telegram")];
    const { id } = await post(key, { text: "x", channels: [first.id, second.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    // The other delivery waits for its network.
    await testEnv.DB.prepare("UPDATE deliveries SET next_at = next_at + ? WHERE post_id = ? AND channel_id = ?")
      .bind(DAY_MS, id, second.id)
      .run();
    const { world, begun: sendStarted, release } = heldNetworks();
    const working = (await ownPublisher(workspace, first.id, { world })).work();
    await sendStarted;
    for (let i = 0; i < 2; i++) {
      expect(await call("DELETE", `/v1/posts/${id}`, { token: key })).toMatchObject({ status: 200 });
    }
    release();
    await working;
    expect(await ledger(second.handle)).toHaveLength(0);
  });
});
