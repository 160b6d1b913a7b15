// Transitions of docs/delivery.md#moves that other tests do not exercise on real stores: the state that a session
// leaves behind when its object ends, and the end of an unknown outcome.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { writeIntent } from "../../src/delivery/announce.ts";
import { stopUnsent } from "../../src/delivery/claim.ts";
import { buildRecord } from "../../src/delivery/delivery-record.ts";
import { DeliverySession } from "../../src/delivery/delivery-session.ts";
import { storePublishKey } from "../../src/delivery/prepare.ts";
import { recordDeliveries } from "../../src/store/deliveries/write.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { age } from "../support/lanes.ts";
import { finishedInTime, MINUTE_MS } from "../support/machine.ts";
import { makeFollowUpTools, nextDue } from "../support/one-session.ts";
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

const createContext = () => compose(testEnv, () => {});
withAccount();

/** A session that has started on a channel's due delivery, and does only what its test says. */
async function startSession(channel: ChannelBody) {
  const world = createContext();
  const db = world.databaseOf(account.workspace);
  const dueDelivery = (await nextDue(db, account.workspace, channel.id)) ?? expect.fail("nothing is due");
  const tools = makeFollowUpTools(world, db);
  const session = new DeliverySession(tools, dueDelivery);
  return {
    db,
    session,
    announce: () => writeIntent({ ...tools, session }, { publishKey: {}, payloadHash: "hash", files: [] }),
  };
}

describe("a session whose object has ended", () => {
  it("leaves its publish key, with which the next session publishes, if it ended before the send", async () => {
    const channel = await connect(account.key, "bluesky");
    const { id } = await createDue(channel);
    const { session } = await startSession(channel);
    const record = { $type: "app.bsky.feed.post", text: "once", createdAt: "2026-11-21T00:00:00.000Z" };
    await storePublishKey(session, { step: "ready", rkey: "3n2s72t46tqfz", record });
    await runPublisher(channel);
    expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toMatchObject([{ token: "3n2s72t46tqfz" }]);
    await expectInvariantsHold();
  });

  it("has sent nothing if it finds its post cancelled, so the delivery is cancelled and not unknown", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { session, announce } = await startSession(channel);
    await call("DELETE", `/v1/posts/${id}`, { token: account.key });
    expect(await announce()).toBeNull();
    expect(await stopUnsent(session)).toEqual({ decision: null });
    expect(await getPost(account.key, id)).toMatchObject({
      status: "cancelled",
      deliveries: [{ status: "cancelled" }],
    });
    await expectInvariantsHold();
  });

  it("is believed if it returns with proof after the outcome was marked as unknown", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { db, session, announce } = await startSession(channel);
    expect(await announce()).toBeTypeOf("number");
    await age(id, 6 * MINUTE_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "outcome_unknown" });
    const proof = await buildRecord(session, {
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

describe("a transition that the table does not contain", () => {
  const fields = { nextAt: null, hasOpenSend: false, retries: 0, error: null, detail: null, event: null };

  it("is not written, whatever decided it", async () => {
    const channel = await connect(account.key, "telegram");
    await createDue(channel);
    const { session, announce } = await startSession(channel);
    await expect(buildRecord(session, { ...fields, state: "removed" })).rejects.toThrow(
      "a delivery in pending may not become removed",
    );
    expect(await announce()).toBeTypeOf("number");
    await expect(buildRecord(session, { ...fields, state: "cancelled" })).rejects.toThrow(
      "a delivery in sending may not become cancelled",
    );
  });

  it("is written if it is proof that the post is live", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { db, session, announce } = await startSession(channel);
    expect(await announce()).toBeTypeOf("number");
    const live = { id: "1/7", url: "https://t.me/x/7", urlState: "none" } as const;
    const proof = { ...fields, live, state: "live", event: "delivery.succeeded" } as const;
    expect(await recordDeliveries(db, [await buildRecord(session, proof)])).toMatchObject([{ written: true }]);
    const delivery = { ...session.due.delivery, state: "failed" } as const;
    const late = new DeliverySession(makeFollowUpTools(createContext(), db), { ...session.due, delivery });
    expect(await buildRecord(late, proof)).toMatchObject({ decision: { state: "live" } });
    expect(await getDelivery(id)).toMatchObject({ status: "live" });
  });
});

describe("an unknown outcome", () => {
  it("is final after fifteen minutes if its network can be asked and does not show the post, and nothing is sent again", async () => {
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

  it("remains unknown if the channel is disconnected, and the post is not sent again", async () => {
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

  it("remains unknown if the deployment no longer supports the network", async () => {
    const channel = await connect(account.key, "telegram");
    const { id } = await createDue(channel);
    const { announce } = await startSession(channel);
    expect(await announce()).toBeTypeOf("number");
    await testEnv.DB.prepare("UPDATE deliveries SET platform = 'gone' WHERE post_id = ?").bind(id).run();
    await age(id, 6 * MINUTE_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
  });

  it("is reconciled until its time limit if the post is cancelled, without blocking its channel", async () => {
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
    const finishedPost = await finishedInTime(account.workspace, account.key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["next"]);
    await expectInvariantsHold();
  });

  it("ends when the network declares our publish key invalid, and a new key is created", async () => {
    const channel = await connect(account.key, "instagram");
    const image = await uploadJpeg(account, { width: 400, height: 400 });
    const target = { platform: "instagram", account: channel.handle };
    await fault({ ...target, call: "media_publish", do: "reset_before" });
    const { id } = await createDue(channel, { media: [image.id] });
    await runPublisher(channel);
    // The send intent is written before the call, and the result of the call must be written too.
    const getState = () => testEnv.DB.prepare("SELECT state FROM deliveries WHERE post_id = ?").bind(id).first("state");
    await eventually(async () => expect(await getState()).toBe("reconciling"));
    await fault({
      ...target,
      call: "ig-container",
      do: "status",
      status: 200,
      body: { id: "1", status_code: "EXPIRED" },
    });
    await age(id, 10 * MINUTE_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "retrying", attempts: 1, error: "network_unavailable" });
    const row = await testEnv.DB.prepare("SELECT has_open_send, publish_key FROM deliveries WHERE post_id = ?")
      .bind(id)
      .first();
    expect(row).toEqual({ has_open_send: 0, publish_key: null });
    const finishedPost = await finishedInTime(account.workspace, account.key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 2 });
    expect(await ledger(channel.handle)).toHaveLength(1);
    await expectInvariantsHold();
  });
});
