// A session ends, or takes long, before the answer arrives: its delivery is published at most once.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { writeIntent } from "../../src/delivery/announce.ts";
import { DeliverySession } from "../../src/delivery/delivery-session.ts";
import type { Json } from "../../src/domain/json.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, deliverMessage, publishNow } from "../support/machine.ts";
import { deliverAlone, makeFollowUpTools, nextDue } from "../support/one-session.ts";
import {
  call,
  connect,
  finished,
  getPost,
  ledger,
  type PostBody,
  post,
  signUp,
  uploadVideo,
} from "../support/world.ts";

describe("an object that ends between the send intent and the answer", () => {
  /** Advances a delivery to its send intent, with a publish key, and abandons it. */
  async function abandon(workspace: string, { deliveries }: PostBody, publishKey: Json) {
    const ctx = compose(testEnv, () => {});
    const db = ctx.databaseOf(workspace);
    const due = await nextDue(db, workspace, deliveries[0]?.channel ?? "");
    const tools = makeFollowUpTools(ctx, db);
    const session = new DeliverySession(tools, due ?? expect.fail("nothing is due"));
    expect(await writeIntent({ ...tools, session }, { publishKey, payloadHash: "hash", files: [] })).toBeTypeOf(
      "number",
    );
  }
  const record = { $type: "app.bsky.feed.post", text: "once", createdAt: "2026-11-21T00:00:00.000Z" };

  it("sends the same Bluesky record once more under the same key if it had not arrived", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "bluesky");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, { step: "ready", rkey: "3n2s72t46tqfc", record });
    await age(body.id, 400_000);
    await deliverMessage(workspace, channel.id);
    const finishedPost = await finished(key, body.id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "live", attempts: 2 });
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(published[0]).toMatchObject({ token: "3n2s72t46tqfc", text: "once" });
  });

  it("reconciles the Bluesky key without sending again while the first call may still arrive", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "bluesky");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, { step: "ready", rkey: "3n2s72t46tqfd", record });
    await age(body.id, 120_000);
    await publishNow(workspace, channel.id);
    const { deliveries } = await getPost(key, body.id);
    expect(deliveries[0]).toMatchObject({ status: "publishing", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });

  it("does not send a cancelled Bluesky post again, and reconciles it until the time limit", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "bluesky");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, { step: "ready", rkey: "3n2s72t46tqfe", record });
    expect(await call("DELETE", `/v1/posts/${body.id}`, { token: key })).toMatchObject({
      status: 409,
      body: { error: "post_not_cancellable" },
    });
    const reconcile = async () => {
      await age(body.id, 400_000);
      await deliverMessage(workspace, channel.id);
      return (await getPost(key, body.id)).deliveries[0];
    };
    expect(await reconcile()).toMatchObject({ status: "publishing", attempts: 1 });
    for (let i = 0; i < 20 && (await reconcile())?.status === "publishing"; i++);
    expect(await reconcile()).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });

  it("never sends a Telegram post again, because its outcome cannot be determined", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, {});
    await age(body.id, 400_000);
    await deliverMessage(workspace, channel.id);
    const finishedPost = await finished(key, body.id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(finishedPost.deliveries[0]?.hint).toBe(
      "It is unknown whether the post was published; check on the network before you send it again. " +
        "(the answer of the network was lost; this network cannot be asked whether the post is live)",
    );
    expect(await ledger(channel.handle)).toHaveLength(0);
  });
});

describe("a session that takes long to prepare a post", () => {
  /** A due post on a channel of its own, with a session that has just started. */
  async function startSession(text: string) {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text, channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const ctx = compose(testEnv, () => {});
    const due = (await nextDue(ctx.databaseOf(workspace), workspace, channel.id)) ?? expect.fail("nothing is due");
    return { key, workspace, channel, id, deliver: () => deliverAlone(ctx, due) };
  }

  it("sends and changes nothing if another session has sent the post meanwhile", async () => {
    const { key, workspace, channel, id, deliver } = await startSession("slow");
    await publishNow(workspace, channel.id);
    const finishedPost = await finished(key, id);
    expect(await deliver()).toBeNull();
    expect(await getPost(key, id)).toEqual(finishedPost);
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("sends only the edited post, once, if it was edited meanwhile", async () => {
    const { key, workspace, channel, id, deliver } = await startSession("as it was");
    const edited = await call("PATCH", `/v1/posts/${id}`, { token: key, body: { text: "as it is" } });
    expect(edited).toMatchObject({ status: 200, body: { text: "as it is" } });
    await deliver();
    expect(await ledger(channel.handle)).toHaveLength(0);
    await publishNow(workspace, channel.id);
    expect((await finished(key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["as it is"]);
  });

  it("fails the post and sends nothing if its channel was disconnected meanwhile", async () => {
    const { key, channel, id, deliver } = await startSession("cut off");
    await call("DELETE", `/v1/channels/${channel.id}`, { token: key });
    await deliver();
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({
      status: "failed",
      error: "channel_disconnected",
      attempts: 0,
    });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });

  it("sends the post once if the channel was reconnected meanwhile", async () => {
    const { key, workspace, channel, id, deliver } = await startSession("connected anew");
    const credentials = { bot_token: `987654321:${"B".repeat(35)}`, chat_id: channel.handle };
    const body = { platform: "telegram", handle: channel.handle, credentials };
    expect(await call("POST", "/v1/channels", { token: key, body })).toMatchObject({
      status: 200,
      body: { id: channel.id },
    });
    await deliver();
    await publishNow(workspace, channel.id);
    expect((await finished(key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("an upload that takes longer than one session", () => {
  it("stops at a checkpoint, and the next sessions continue there without counting as another try", async () => {
    const account = await signUp();
    const { key, workspace } = account;
    const channel = await connect(key, "youtube");
    const video = await uploadVideo(account, 3_000_000);
    const overrides = { [channel.id]: { title: "A film", made_for_kids: false } };
    const body = { text: "long", media: [video.id], channels: [channel.id], overrides, publish_at: tomorrow() };
    const { id } = await post(key, body);
    await age(id, DAY_MS);
    const start = Date.now();
    let looks = 0;
    // Each look at the clock is a minute after the one before.
    const slow = { ...compose(testEnv, () => {}), now: () => start + looks++ * 60_000 };
    const db = slow.databaseOf(workspace);
    const due = await nextDue(db, workspace, channel.id);
    await deliverAlone(slow, due ?? expect.fail("nothing is due"));
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "publishing", attempts: 0, error: null });
    expect(await ledger(channel.handle)).toHaveLength(0);
    await age(id, 120_000);
    await publishNow(workspace, channel.id);
    expect((await finished(key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    const published = await ledger(channel.handle);
    expect(published).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
  });
});
