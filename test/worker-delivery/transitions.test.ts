// Moves of docs/delivery.md#moves that other tests do not walk over real stores: what a session leaves whose object has gone,
// how an unknown outcome ends, and what the retry table and the horizons do.
import { beforeEach, describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { DeliverySession } from "../../src/delivery/delivery-session.ts";
import { settleDeliveries } from "../../src/store/deliveries/write.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, duePost, finishedInTime, MINUTE_MS, publishNow } from "../support/machine.ts";
import { nextDue, toolsOf } from "../support/one-session.ts";
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
  uploadImage,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

const HOUR_MS = 60 * MINUTE_MS;
const ctx = () => compose(testEnv, () => {});

let account: Account;
beforeEach(async () => {
  account = await signUp();
});

const due = (channel: ChannelBody, body: object = {}) => duePost(account, channel, body);
const work = (channel: ChannelBody) => publishNow(account.workspace, channel.id);
const deliveryOf = async (id: string) => (await getPost(account.key, id)).deliveries[0] ?? expect.fail("no delivery");
const eventsOf = async (id: string) =>
  (
    await testEnv.DB.prepare("SELECT event FROM events WHERE post_id = ? ORDER BY seq")
      .bind(id)
      .all<{ event: string }>()
  ).results.map(({ event }) => event);
const sound = async () => expect(await brokenInvariants(account.workspace)).toEqual([]);

/** A session that has taken up what is due on a channel, and does no more than its test says. */
async function takenUp(channel: ChannelBody) {
  const world = ctx();
  const db = world.databaseOf(account.workspace);
  const due = (await nextDue(db, account.workspace, channel.id)) ?? expect.fail("nothing is due");
  return { db, session: new DeliverySession(toolsOf(world, db), due) };
}

describe("a session whose object has gone", () => {
  it("before it sent, leaves its publish handle, and the next sends under it", async () => {
    const channel = await connect(account.key, "bluesky");
    const { id } = await due(channel);
    const { session } = await takenUp(channel);
    const record = { $type: "app.bsky.feed.post", text: "once", createdAt: "2026-11-21T00:00:00.000Z" };
    await session.saveHandle({ step: "ready", rkey: "3n2s72t46tqfz", record });
    await work(channel);
    expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toMatchObject([{ token: "3n2s72t46tqfz" }]);
    await sound();
  });

  it("or was only slow, and finds the post cancelled, has sent nothing: it is cancelled, not unknown", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await due(channel);
    const { session } = await takenUp(channel);
    await call("DELETE", `/v1/posts/${id}`, { token: account.key });
    expect(await session.intend({}, "hash")).toBeNull();
    expect(await session.stopUnsent()).toBeNull();
    expect(await getPost(account.key, id)).toMatchObject({
      status: "cancelled",
      deliveries: [{ status: "cancelled" }],
    });
    await sound();
  });

  it("and comes back with proof after the outcome was called unknown, is believed", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await due(channel);
    const { db, session } = await takenUp(channel);
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    await age(id, 6 * MINUTE_MS);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "failed", error: "outcome_unknown" });
    const proof = await session.settlementOf({
      state: "live",
      nextAt: null,
      hasOpenSend: false,
      retries: 0,
      live: { id: "1/7", url: "https://t.me/x/7", urlState: "none" },
      error: null,
      detail: null,
      event: "delivery.succeeded",
    });
    expect(await settleDeliveries(db, [proof])).toMatchObject([{ written: true }]);
    expect(await getPost(account.key, id)).toMatchObject({ status: "published", deliveries: [{ status: "live" }] });
    expect(await eventsOf(id)).toEqual(["delivery.failed", "delivery.succeeded"]);
    await sound();
  });
});

describe("a transition that the table does not have", () => {
  const ended = { nextAt: null, hasOpenSend: false, retries: 0, error: null, detail: null, event: null };

  it("is not written, whatever decided it", async () => {
    const channel = await connect(account.key, "telegram");
    await due(channel);
    const { session } = await takenUp(channel);
    await expect(session.settlementOf({ ...ended, state: "removed" })).rejects.toThrow(
      "a delivery in pending may not become removed",
    );
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    await expect(session.settlementOf({ ...ended, state: "cancelled" })).rejects.toThrow(
      "a delivery in sending may not become cancelled",
    );
  });

  it("is written when it is proof that the post is live", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await due(channel);
    const { db, session } = await takenUp(channel);
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    const live = { id: "1/7", url: "https://t.me/x/7", urlState: "none" } as const;
    const proof = { ...ended, live, state: "live", event: "delivery.succeeded" } as const;
    expect(await settleDeliveries(db, [await session.settlementOf(proof)])).toMatchObject([{ written: true }]);
    const delivery = { ...session.due.delivery, state: "failed" } as const;
    const late = new DeliverySession(toolsOf(ctx(), db), { ...session.due, delivery });
    expect(await late.settlementOf(proof)).toMatchObject({ transition: { state: "live" } });
    expect(await deliveryOf(id)).toMatchObject({ status: "live" });
  });
});

describe("an unknown outcome", () => {
  it("that no search resolves is final after an hour, and nothing is sent again", async () => {
    const channel = await connect(account.key, "x");
    await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "reset_before" });
    const { id } = await due(channel);
    await work(channel);
    let minutes = 0;
    for (; minutes < 70 && (await deliveryOf(id)).status === "publishing"; minutes++) {
      await age(id, MINUTE_MS);
      await work(channel);
    }
    expect(minutes).toBe(60);
    expect(await deliveryOf(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(await ledger(channel.handle)).toEqual([]);
    expect(await eventsOf(id)).toEqual(["delivery.failed"]);
    await sound();
  });

  it("stays when the channel goes: what may be out is not called failed, and not sent again", async () => {
    const channel = await connect(account.key, "bluesky");
    await fault({
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_before",
    });
    const { id } = await due(channel);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "publishing", attempts: 1 });
    await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });
    await age(id, 10 * MINUTE_MS);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(await ledger(channel.handle)).toEqual([]);
    await sound();
  });

  it("stays when the deployment loses the network: what was being sent is not called failed", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await due(channel);
    const { session } = await takenUp(channel);
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    await testEnv.DB.prepare("UPDATE deliveries SET platform = 'gone' WHERE post_id = ?").bind(id).run();
    await age(id, 6 * MINUTE_MS);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
  });

  it("stays when the post is cancelled: looked for to the end, never sent again, its channel free meanwhile", async () => {
    const channel = await connect(account.key, "bluesky");
    await fault({
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_before",
    });
    const { id } = await due(channel);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "publishing", attempts: 1 });
    await call("DELETE", `/v1/posts/${id}`, { token: account.key });
    await age(id, 10 * MINUTE_MS);
    await work(channel);
    const next = await post(account.key, { text: "next", channels: [channel.id] });
    expect((await finished(account.key, next.id)).status).toBe("published");
    const done = await finishedInTime(account.workspace, account.key, id);
    expect(done.deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["next"]);
    await sound();
  });

  it("ends with the network's last word for our token, and a new one is made", async () => {
    const channel = await connect(account.key, "instagram");
    const image = await uploadJpeg(account, { width: 400, height: 400 });
    const at = { platform: "instagram", account: channel.handle };
    await fault({ ...at, call: "media_publish", do: "reset_before" });
    const { id } = await due(channel, { media: [image.id] });
    await work(channel);
    // Its send intent is there before the call; what became of that has to be written too.
    const state = () => testEnv.DB.prepare("SELECT state FROM deliveries WHERE post_id = ?").bind(id).first("state");
    await eventually(async () => expect(await state()).toBe("verifying"));
    await fault({ ...at, call: "ig-container", do: "status", status: 200, body: { id: "1", status_code: "EXPIRED" } });
    await age(id, 10 * MINUTE_MS);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "retrying", attempts: 1, error: "network_unavailable" });
    const row = await testEnv.DB.prepare("SELECT has_open_send, publish_handle FROM deliveries WHERE post_id = ?")
      .bind(id)
      .first();
    expect(row).toEqual({ has_open_send: 0, publish_handle: null });
    const done = await finishedInTime(account.workspace, account.key, id);
    expect(done.deliveries[0]).toMatchObject({ status: "live", attempts: 2 });
    expect(await ledger(channel.handle)).toHaveLength(1);
    await sound();
  });
});

describe("a waiting delivery", () => {
  it("goes through the retry table and then fails, seven tries in all, nothing ever sent", async () => {
    const channel = await connect(account.key, "bluesky");
    const image = await uploadImage(account);
    const uploads = { platform: "bluesky", account: channel.handle, call: "com.atproto.repo.uploadBlob" };
    await fault({ ...uploads, do: "status", status: 503, count: 100 });
    const { id } = await due(channel, { media: [image.id] });
    const waits: number[] = [];
    for (let i = 0; i < 10; i++) {
      await work(channel);
      const { status, next_attempt_at } = await deliveryOf(id);
      if (status === "failed") break;
      expect(status).toBe("retrying");
      const wait = Date.parse(next_attempt_at ?? "") - Date.now();
      waits.push(wait);
      await age(id, wait + 1_000);
    }
    const table = [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
    expect(waits).toHaveLength(table.length);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThan((table[i] ?? 0) * 0.8 - 10_000);
      expect(wait).toBeLessThanOrEqual((table[i] ?? 0) * 1.2);
    }
    expect(await deliveryOf(id)).toMatchObject({ status: "failed", error: "network_unavailable", attempts: 0 });
    expect(await eventsOf(id)).toEqual([...table.map(() => "delivery.retrying"), "delivery.failed"]);
    await sound();
  });

  it("is not tried again beyond its day", async () => {
    const channel = await connect(account.key, "bluesky");
    const image = await uploadImage(account);
    const uploads = { platform: "bluesky", account: channel.handle, call: "com.atproto.repo.uploadBlob" };
    await fault({ ...uploads, do: "status", status: 503 });
    const { id } = await due(channel, { media: [image.id] });
    await age(id, DAY_MS - 15_000);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "failed", error: "network_unavailable", attempts: 0 });
    await sound();
  });

  it("for a quota that outlasts its day fails with it; other channels do not wait with it", async () => {
    const [busy, free] = [await connect(account.key, "telegram"), await connect(account.key, "telegram")];
    const body = {
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 18000",
      parameters: { retry_after: 18_000 },
    };
    await fault({ platform: "telegram", account: busy.handle, call: "sendMessage", do: "status", status: 429, body });
    const first = await due(busy);
    await work(busy);
    expect(await deliveryOf(first.id)).toMatchObject({ status: "retrying", error: "network_quota" });
    const behind = await due(busy, { text: "behind" });
    await work(busy);
    expect(await deliveryOf(behind.id)).toMatchObject({ status: "pending", attempts: 0 });
    const elsewhere = await post(account.key, { text: "elsewhere", channels: [free.id] });
    expect((await finished(account.key, elsewhere.id)).status).toBe("published");

    await fault({ platform: "telegram", account: free.handle, call: "sendMessage", do: "status", status: 429, body });
    const late = await due(free, { text: "late" });
    await age(late.id, 20 * HOUR_MS);
    await work(free);
    expect(await deliveryOf(late.id)).toMatchObject({ status: "failed", error: "network_quota", action: "wait" });
    await sound();
  });

  it("for a network that refuses a token just renewed is asked again while its channel is connected", async () => {
    const channel = await connect(account.key, "youtube");
    const ofVideos = { platform: "youtube", account: channel.handle, call: "videos.list", do: "status" };
    const answer = { items: [{ id: "x", status: { uploadStatus: "uploaded", privacyStatus: "public" } }] };
    const refused = { error: { code: 401, message: "Invalid Credentials", status: "UNAUTHENTICATED" } };
    await fault(
      { ...ofVideos, status: 200, body: answer, count: 1 },
      { ...ofVideos, status: 401, body: refused, count: 2 },
    );
    const video = await uploadVideo(account, 50_000);
    const { id } = await due(channel, {
      media: [video.id],
      overrides: { [channel.id]: { title: "Refused", made_for_kids: false } },
    });
    const stateOf = () =>
      testEnv.DB.prepare("SELECT state, detail FROM deliveries WHERE post_id = ?")
        .bind(id)
        .first<{ state: string; detail: string | null }>();
    await work(channel);
    for (let i = 0; i < 5 && (await stateOf())?.detail == null; i++) {
      expect(await stateOf()).toMatchObject({ state: "processing" });
      await age(id, HOUR_MS);
      await work(channel);
    }
    expect(await stateOf()).toMatchObject({
      state: "processing",
      detail: expect.stringContaining("Invalid Credentials"),
    });
    await age(id, HOUR_MS);
    await work(channel);
    await finished(account.key, id);
    expect(await deliveryOf(id)).toMatchObject({ status: "live", attempts: 1 });
    await sound();
  });

  it("for a network that is still at it after a day is called unknown", async () => {
    const channel = await connect(account.key, "youtube");
    const answer = { items: [{ id: "x", status: { uploadStatus: "uploaded", privacyStatus: "public" } }] };
    await fault({
      platform: "youtube",
      account: channel.handle,
      call: "videos.list",
      do: "status",
      status: 200,
      body: answer,
      count: 1_000,
    });
    const video = await uploadVideo(account, 50_000);
    const { id } = await due(channel, {
      media: [video.id],
      overrides: { [channel.id]: { title: "Long", made_for_kids: false } },
    });
    await work(channel);
    const state = () =>
      testEnv.DB.prepare("SELECT state FROM deliveries WHERE post_id = ?").bind(id).first<string>("state");
    expect(await state()).toBe("processing");
    await age(id, 23 * HOUR_MS);
    await work(channel);
    expect(await state()).toBe("processing");
    await age(id, 2 * HOUR_MS);
    await work(channel);
    expect(await deliveryOf(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    // However long ago it was sent: it may have been asked for only now.
    const searchAt = await testEnv.DB.prepare("SELECT check_at FROM deliveries WHERE post_id = ?")
      .bind(id)
      .first<number>("check_at");
    expect(searchAt).toBeGreaterThan(Date.now());
    await sound();
  });
});
