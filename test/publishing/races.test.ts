import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { compose } from "../../src/compose.ts";
import { sealToken } from "../../src/publishing/token.ts";
import { holdOf, releaseChannel } from "../../src/store/claims.ts";
import { openDatabase } from "../../src/store/db.ts";
import { settleDelivery } from "../../src/store/endings.ts";
import { testEnv } from "../support/env.ts";
import { DAY_MS, deliverMessage, sweepNow, tomorrow } from "../support/machine.ts";
import { claimNext, deliver, writeAhead } from "../support/one-hand.ts";
import {
  age,
  call,
  connect,
  fault,
  finished,
  getPost,
  ledger,
  type PostBody,
  post,
  signUp,
  uploadVideo,
} from "../support/world.ts";

describe("the same queue message twice", () => {
  it.each(["bluesky", "telegram"])("%s gets one post out of ten simultaneous messages", async (platform) => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, platform);
    const { id } = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    await deliverMessage(workspace, channel.id, 10);
    const done = await finished(key, id);
    expect(done.deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    await deliverMessage(workspace, channel.id, 3);
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("a crash between the commit and the alarm", () => {
  it("the sweeper finds the post and sends it, once", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "forgotten", channels: [channel.id], publish_at: tomorrow() });
    const clock = testEnv.CLOCK.getByName(workspace);
    await runInDurableObject(clock, async (_clock, state) => {
      await state.storage.deleteAlarm();
      state.storage.sql.exec("DELETE FROM rings");
    });
    await age(id, DAY_MS + 60_000);
    expect((await getPost(key, id)).status).toBe("queued");

    await sweepNow();
    const done = await finished(key, id);
    expect(done.status).toBe("published");
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});

describe("a worker that dies between the write-ahead and the answer", () => {
  /** Takes a delivery as far as the write-ahead and leaves it there; `before` runs what the dead worker still did. */
  async function abandon(
    workspace: string,
    postBody: PostBody,
    token: { [key: string]: string | object },
  ): Promise<void> {
    const db = openDatabase(testEnv.DB);
    const channelId = postBody.deliveries[0]?.channel ?? "";
    const result = await claimNext(db, workspace, channelId, "the dead");
    if (result.is !== "claimed") throw new Error("nothing was claimed");
    const sentAt = await writeAhead(
      db,
      holdOf(result.claim, "the dead"),
      await sealToken(
        compose(testEnv, () => {}),
        result.claim.delivery,
        JSON.parse(JSON.stringify(token)),
      ),
      "hash",
    );
    expect(sentAt).toBeTypeOf("number");
  }
  const record = { $type: "app.bsky.feed.post", text: "once", createdAt: "2026-11-21T00:00:00.000Z" };

  it("Bluesky: nothing had gone out, and the same record goes out under the same key, once", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "bluesky");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, { step: "ready", rkey: "3n2s72t46tqfc", record });
    await age(body.id, 400_000);
    await deliverMessage(workspace, channel.id);
    const done = await finished(key, body.id);
    expect(done.deliveries[0]).toMatchObject({ status: "live", attempts: 2 });
    const published = await ledger(channel.handle);
    expect(published).toHaveLength(1);
    expect(published[0]).toMatchObject({ token: "3n2s72t46tqfc", text: "once" });
  });

  it("Bluesky: too early, the key is only looked for, never sent again", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "bluesky");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, { step: "ready", rkey: "3n2s72t46tqfd", record });
    await testEnv.DB.prepare("UPDATE channels SET lease_until = 1 WHERE id = ?").bind(channel.id).run();
    await deliverMessage(workspace, channel.id);
    const { deliveries } = await getPost(key, body.id);
    expect(deliveries[0]).toMatchObject({ status: "publishing", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });

  it("Bluesky: nothing is sent again for a post that was cancelled since, and it is looked for to the end", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "bluesky");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, { step: "ready", rkey: "3n2s72t46tqfe", record });
    expect((await call("DELETE", `/v1/posts/${body.id}`, { token: key })).status).toBe(200);
    const look = async () => {
      await age(body.id, 400_000);
      await deliverMessage(workspace, channel.id);
      return (await getPost(key, body.id)).deliveries[0];
    };
    expect(await look()).toMatchObject({ status: "publishing", attempts: 1 });
    for (let i = 0; i < 20 && (await look())?.status === "publishing"; i++);
    expect(await look()).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });

  it("Telegram: nobody can tell, so it is never sent again", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const body = await post(key, { text: "once", channels: [channel.id], publish_at: tomorrow() });
    await age(body.id, DAY_MS);
    await abandon(workspace, body, {});
    await age(body.id, 400_000);
    await deliverMessage(workspace, channel.id);
    const done = await finished(key, body.id);
    expect(done.deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });
});

describe("a hand that takes its time to make a post ready", () => {
  /** A post that is due, on a channel of its own, just taken up by "hand". */
  async function takenUp(text: string) {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text, channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const ctx = compose(testEnv, () => {});
    const result = await claimNext(ctx.databaseOf(workspace), workspace, channel.id, "hand");
    if (result.is !== "claimed") throw new Error("not claimed");
    return { key, workspace, channel, id, goOn: () => deliver(ctx, result.claim, "hand") };
  }

  it("longer than its lease: it sends nothing and fails nothing; the next hand sends it, once", async () => {
    const { key, workspace, channel, id, goOn } = await takenUp("slow");
    await age(id, 400_000);
    await goOn();
    expect(await ledger(channel.handle)).toHaveLength(0);
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "pending", attempts: 0, error: null });
    await deliverMessage(workspace, channel.id);
    expect((await finished(key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect(await ledger(channel.handle)).toHaveLength(1);
  });

  it("sends nothing of a post that was edited meanwhile; what goes out is the edited one, once", async () => {
    const { key, workspace, channel, id, goOn } = await takenUp("as it was");
    const edited = await call("PATCH", `/v1/posts/${id}`, { token: key, body: { text: "as it is" } });
    expect(edited).toMatchObject({ status: 200, body: { text: "as it is" } });
    await goOn();
    expect(await ledger(channel.handle)).toHaveLength(0);
    await releaseChannel(openDatabase(testEnv.DB), workspace, channel.id, "hand");
    await deliverMessage(workspace, channel.id);
    expect((await finished(key, id)).deliveries[0]).toMatchObject({ status: "live", attempts: 1 });
    expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["as it is"]);
  });

  it("fails a post whose channel was disconnected meanwhile, and sends nothing", async () => {
    const { key, channel, id, goOn } = await takenUp("cut off");
    await call("DELETE", `/v1/channels/${channel.id}`, { token: key });
    await goOn();
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({
      status: "failed",
      error: "channel_disconnected",
      attempts: 0,
    });
    expect(await ledger(channel.handle)).toHaveLength(0);
  });
});

describe("a hand that has lost what it held", () => {
  it("goes on with the next delivery and with nothing else: it is given that one's post", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const one = await post(key, { text: "one", channels: [channel.id], publish_at: tomorrow() });
    const two = await post(key, { text: "two", channels: [channel.id], publish_at: tomorrow() });
    await Promise.all([age(one.id, DAY_MS), age(two.id, DAY_MS)]);
    const db = openDatabase(testEnv.DB);
    const seen: string[] = [];
    for (let i = 0; i < 3; i++) {
      const result = await claimNext(db, workspace, channel.id, "forgetful");
      if (result.is !== "claimed") throw new Error("nothing was claimed");
      expect(result.claim.post.id).toBe(result.claim.delivery.postId);
      seen.push(result.claim.post.id);
      // What it held waits behind the other one from now on.
      await age(seen[i] === one.id ? two.id : one.id, (i + 1) * 1_000);
    }
    expect(new Set(seen)).toEqual(new Set([one.id, two.id]));
  });

  it("leaves what it was sending as doubt, to whoever comes next", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "lost", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const ctx = compose(testEnv, () => {});
    const db = openDatabase(testEnv.DB);
    const result = await claimNext(db, workspace, channel.id, "the lost");
    if (result.is !== "claimed") throw new Error("nothing was claimed");
    const token = await sealToken(ctx, result.claim.delivery, {});
    expect(await writeAhead(db, holdOf(result.claim, "the lost"), token, "hash")).toBeTypeOf("number");
    expect(await claimNext(db, workspace, channel.id, "another")).toEqual({ is: "nothing", nextAt: null });
    await releaseChannel(db, workspace, channel.id, "the lost");
    expect(await claimNext(db, workspace, channel.id, "the next")).toMatchObject({
      is: "claimed",
      claim: { delivery: { state: "uncertain", ambiguous: true } },
    });
  });
});

describe("a worker whose clock is wrong", () => {
  it("asks a network that is still at work when the network said, not at once and without end", async () => {
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
    const right = compose(testEnv, () => {});
    const behind = 600_000;
    const ctx = { ...right, now: () => Date.now() - behind };
    const result = await claimNext(ctx.databaseOf(workspace), workspace, channel.id, "behind");
    if (result.is !== "claimed") throw new Error("nothing was claimed");
    const slow = { ...ctx, wire: (name: string) => ({ ...right.wire(name), now: () => Date.now() - behind }) };
    await deliver(slow, result.claim, "behind");
    const row = await testEnv.DB.prepare("SELECT state, next_at FROM deliveries WHERE post_id = ?")
      .bind(body.id)
      .first();
    expect(row).toMatchObject({ state: "processing" });
    expect(Number(row?.next_at)).toBeGreaterThan(result.claim.now);
  });
});

describe("claims and fences", () => {
  it("of twenty hands at once one gets the channel, and its delivery", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const db = openDatabase(testEnv.DB);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => claimNext(db, workspace, channel.id, `hand ${i}`)),
    );
    expect(results.filter(({ is }) => is === "claimed")).toHaveLength(1);
  });

  it("a hand whose lease ran out changes nothing, but its proof that the post is live counts", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const db = openDatabase(testEnv.DB);
    const first = await claimNext(db, workspace, channel.id, "first");
    await age(id, 400_000);
    const second = await claimNext(db, workspace, channel.id, "second");
    if (first.is !== "claimed" || second.is !== "claimed") throw new Error("not claimed");
    const stale = holdOf(first.claim, "first");
    expect(await writeAhead(db, stale, "token", "hash")).toBeNull();
    const failed = {
      state: "failed",
      nextAt: null,
      ambiguous: false,
      retries: 0,
      error: "content_refused",
      detail: null,
      event: null,
    } as const;
    const afterwards = { platform: "telegram", checkAt: null, hasComment: false };
    const ending = { hold: stale, transition: failed, event: null, afterwards };
    expect(await settleDelivery(db, ending)).toMatchObject({ written: false });
    expect((await getPost(key, id)).deliveries[0]?.status).toBe("pending");

    const live = {
      ...failed,
      state: "live",
      error: null,
      live: { id: "1/1", url: "https://t.me/x/1", urlState: "none" },
    } as const;
    expect(await settleDelivery(db, { ...ending, transition: live })).toMatchObject({ written: true });
    expect((await getPost(key, id)).deliveries[0]).toMatchObject({ status: "live", url: "https://t.me/x/1" });
    const late = { ...ending, hold: holdOf(second.claim, "second") };
    expect(await settleDelivery(db, late)).toMatchObject({ written: false });
  });
});

describe("cancelling", () => {
  it("what has not started is never sent, and the month gets its count back", async () => {
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

  it("a claimed delivery whose post is cancelled stops before its write-ahead", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "x", channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS);
    const db = openDatabase(testEnv.DB);
    const result = await claimNext(db, workspace, channel.id, "hand");
    if (result.is !== "claimed") throw new Error("not claimed");
    await call("DELETE", `/v1/posts/${id}`, { token: key });
    expect(await writeAhead(db, holdOf(result.claim, "hand"), "token", "hash")).toBeNull();
    await age(id, 400_000);
    await deliverMessage(workspace, channel.id);
    expect((await getPost(key, id)).status).toBe("cancelled");
    expect(await ledger(channel.handle)).toHaveLength(0);
  });

  it("a post that is being sent finishes truthfully", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    await fault({ platform: "telegram", account: channel.handle, call: "sendMessage", do: "delay", delay_ms: 1_500 });
    const { id } = await post(key, { text: "on its way", channels: [channel.id] });
    await vi.waitFor(async () => expect((await getPost(key, id)).deliveries[0]?.attempts).toBe(1), { timeout: 5_000 });
    const cancelled = await call("DELETE", `/v1/posts/${id}`, { token: key });
    expect(cancelled).toMatchObject({ status: 200, body: { status: "publishing" } });
    expect((await finished(key, id)).deliveries[0]?.status).toBe("live");
    expect(await ledger(channel.handle)).toHaveLength(1);
  });
});
