// Moves of docs/delivery.md#moves that other tests do not walk over real stores: what a session leaves whose object has gone,
// and how an unknown outcome ends.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { DeliverySession } from "../../src/delivery/delivery-session.ts";
import { recordDeliveries } from "../../src/store/deliveries/write.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { finishedInTime, MINUTE_MS } from "../support/machine.ts";
import { nextDue, toolsOf } from "../support/one-session.ts";
import {
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  post,
  uploadJpeg,
} from "../support/world.ts";
import {
  account,
  createDue,
  expectInvariantsHold,
  getDelivery,
  getEvents,
  runPublisher,
  withAccount,
} from "./due-delivery.ts";

const ctx = () => compose(testEnv, () => {});
withAccount();

/** A session that has taken up what is due on a channel, and does no more than its test says. */
async function takenUp(channel: ChannelBody) {
  const world = ctx();
  const db = world.databaseOf(account.workspace);
  const dueDelivery = (await nextDue(db, account.workspace, channel.id)) ?? expect.fail("nothing is due");
  return { db, session: new DeliverySession(toolsOf(world, db), dueDelivery) };
}

describe("a session whose object has gone", () => {
  it("before it sent, leaves its publish key, and the next sends under it", async () => {
    const channel = await connect(account.key, "bluesky");
    const { id } = await createDue(channel);
    const { session } = await takenUp(channel);
    const record = { $type: "app.bsky.feed.post", text: "once", createdAt: "2026-11-21T00:00:00.000Z" };
    await session.savePublishKey({ step: "ready", rkey: "3n2s72t46tqfz", record });
    await runPublisher(channel);
    expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toMatchObject([{ token: "3n2s72t46tqfz" }]);
    await expectInvariantsHold();
  });

  it("or was only slow, and finds the post cancelled, has sent nothing: it is cancelled, not unknown", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { session } = await takenUp(channel);
    await call("DELETE", `/v1/posts/${id}`, { token: account.key });
    expect(await session.intend({}, "hash")).toBeNull();
    expect(await session.stopUnsent()).toBeNull();
    expect(await getPost(account.key, id)).toMatchObject({
      status: "cancelled",
      deliveries: [{ status: "cancelled" }],
    });
    await expectInvariantsHold();
  });

  it("and comes back with proof after the outcome was called unknown, is believed", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { db, session } = await takenUp(channel);
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    await age(id, 6 * MINUTE_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "outcome_unknown" });
    const proof = await session.toRecord({
      state: "live",
      nextAt: null,
      hasOpenSend: false,
      retries: 0,
      live: { id: "1/7", url: "https://t.me/x/7", urlState: "none" },
      error: null,
      detail: null,
      event: "delivery.succeeded",
    });
    expect(await recordDeliveries(db, [proof])).toMatchObject([{ written: true }]);
    expect(await getPost(account.key, id)).toMatchObject({ status: "published", deliveries: [{ status: "live" }] });
    expect(await getEvents(id)).toEqual(["delivery.failed", "delivery.succeeded"]);
    await expectInvariantsHold();
  });
});

describe("a decision that the table does not have", () => {
  const ended = { nextAt: null, hasOpenSend: false, retries: 0, error: null, detail: null, event: null };

  it("is not written, whatever decided it", async () => {
    const channel = await connect(account.key, "telegram");
    await createDue(channel);
    const { session } = await takenUp(channel);
    await expect(session.toRecord({ ...ended, state: "removed" })).rejects.toThrow(
      "a delivery in pending may not become removed",
    );
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    await expect(session.toRecord({ ...ended, state: "cancelled" })).rejects.toThrow(
      "a delivery in sending may not become cancelled",
    );
  });

  it("is written when it is proof that the post is live", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { db, session } = await takenUp(channel);
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    const live = { id: "1/7", url: "https://t.me/x/7", urlState: "none" } as const;
    const proof = { ...ended, live, state: "live", event: "delivery.succeeded" } as const;
    expect(await recordDeliveries(db, [await session.toRecord(proof)])).toMatchObject([{ written: true }]);
    const delivery = { ...session.due.delivery, state: "failed" } as const;
    const late = new DeliverySession(toolsOf(ctx(), db), { ...session.due, delivery });
    expect(await late.toRecord(proof)).toMatchObject({ decision: { state: "live" } });
    expect(await getDelivery(id)).toMatchObject({ status: "live" });
  });
});

describe("an unknown outcome", () => {
  it("that its network could be asked about and does not show is final after fifteen minutes, and nothing is sent again", async () => {
    const channel = await connect(account.key, "x");
    await fault({ platform: "x", account: channel.handle, call: "tweets/create", do: "reset_before" });
    const { id } = await createDue(channel);
    await runPublisher(channel);
    let minutes = 0;
    for (; minutes < 70 && (await getDelivery(id)).status === "publishing"; minutes++) {
      await age(id, MINUTE_MS);
      await runPublisher(channel);
    }
    expect(minutes).toBe(15);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(await ledger(channel.handle)).toEqual([]);
    expect(await getEvents(id)).toEqual(["delivery.failed"]);
    await expectInvariantsHold();
  });

  it("stays when the channel goes: what may be out is not called failed, and not sent again", async () => {
    const channel = await connect(account.key, "bluesky");
    await fault({
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_before",
    });
    const { id } = await createDue(channel);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "publishing", attempts: 1 });
    await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });
    await age(id, 10 * MINUTE_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(await ledger(channel.handle)).toEqual([]);
    await expectInvariantsHold();
  });

  it("stays when the deployment loses the network: what was being sent is not called failed", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { session } = await takenUp(channel);
    expect(await session.intend({}, "hash")).toBeTypeOf("number");
    await testEnv.DB.prepare("UPDATE deliveries SET platform = 'gone' WHERE post_id = ?").bind(id).run();
    await age(id, 6 * MINUTE_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
  });

  it("stays when the post is cancelled: looked for to the end, never sent again, its channel free meanwhile", async () => {
    const channel = await connect(account.key, "bluesky");
    await fault({
      platform: "bluesky",
      account: channel.handle,
      call: "com.atproto.repo.putRecord",
      do: "reset_before",
    });
    const { id } = await createDue(channel);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "publishing", attempts: 1 });
    await call("DELETE", `/v1/posts/${id}`, { token: account.key });
    await age(id, 10 * MINUTE_MS);
    await runPublisher(channel);
    const next = await post(account.key, { text: "next", channels: [channel.id] });
    expect((await finished(account.key, next.id)).status).toBe("published");
    const done = await finishedInTime(account.workspace, account.key, id);
    expect(done.deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["next"]);
    await expectInvariantsHold();
  });

  it("ends with the network's last word for our token, and a new one is made", async () => {
    const channel = await connect(account.key, "instagram");
    const image = await uploadJpeg(account, { width: 400, height: 400 });
    const at = { platform: "instagram", account: channel.handle };
    await fault({ ...at, call: "media_publish", do: "reset_before" });
    const { id } = await createDue(channel, { media: [image.id] });
    await runPublisher(channel);
    // Its send intent is there before the call; what became of that has to be written too.
    const state = () => testEnv.DB.prepare("SELECT state FROM deliveries WHERE post_id = ?").bind(id).first("state");
    await eventually(async () => expect(await state()).toBe("reconciling"));
    await fault({ ...at, call: "ig-container", do: "status", status: 200, body: { id: "1", status_code: "EXPIRED" } });
    await age(id, 10 * MINUTE_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "retrying", attempts: 1, error: "network_unavailable" });
    const row = await testEnv.DB.prepare("SELECT has_open_send, publish_key FROM deliveries WHERE post_id = ?")
      .bind(id)
      .first();
    expect(row).toEqual({ has_open_send: 0, publish_key: null });
    const done = await finishedInTime(account.workspace, account.key, id);
    expect(done.deliveries[0]).toMatchObject({ status: "live", attempts: 2 });
    expect(await ledger(channel.handle)).toHaveLength(1);
    await expectInvariantsHold();
  });
});
