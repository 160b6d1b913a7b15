// Transitions of docs/delivery.md#moves that other tests do not exercise on real stores: the retry table and the time
// limits.
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, MINUTE_MS } from "../support/machine.ts";
import { connect, fault, finished, post, uploadImage, uploadVideo } from "../support/world.ts";
import {
  account,
  createDue,
  expectInvariantsHold,
  getDelivery,
  getEvents,
  runPublisher,
  withAccount,
} from "./due-delivery.ts";

const HOUR_MS = 60 * MINUTE_MS;
withAccount();

describe("a waiting delivery", () => {
  it("fails after the seven tries of the retry table, without having been sent", async () => {
    const channel = await connect(account.key, "bluesky");
    const image = await uploadImage(account);
    const uploads = { platform: "bluesky", account: channel.handle, call: "com.atproto.repo.uploadBlob" };
    await fault({ ...uploads, do: "status", status: 503, count: 100 });
    const { id } = await createDue(channel, { media: [image.id] });
    const waits: number[] = [];
    for (let i = 0; i < 10; i++) {
      await runPublisher(channel);
      const { status, next_attempt_at } = await getDelivery(id);
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
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "network_unavailable", attempts: 0 });
    expect(await getEvents(id)).toEqual([...table.map(() => "delivery.retrying"), "delivery.failed"]);
    await expectInvariantsHold();
  });

  it("is not retried more than a day after its time", async () => {
    const channel = await connect(account.key, "bluesky");
    const image = await uploadImage(account);
    const uploads = { platform: "bluesky", account: channel.handle, call: "com.atproto.repo.uploadBlob" };
    await fault({ ...uploads, do: "status", status: 503 });
    const { id } = await createDue(channel, { media: [image.id] });
    await age(id, DAY_MS - 15_000);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "network_unavailable", attempts: 0 });
    await expectInvariantsHold();
  });

  it("fails if its quota outlasts its day, and other channels do not wait with it", async () => {
    const [busy, free] = [await connect(account.key, "telegram"), await connect(account.key, "telegram")];
    const body = {
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 18000",
      parameters: { retry_after: 18_000 },
    };
    await fault({ platform: "telegram", account: busy.handle, call: "sendMessage", do: "status", status: 429, body });
    const first = await createDue(busy);
    await runPublisher(busy);
    expect(await getDelivery(first.id)).toMatchObject({ status: "retrying", error: "network_quota" });
    const blockedPost = await createDue(busy, { text: "behind" });
    await runPublisher(busy);
    expect(await getDelivery(blockedPost.id)).toMatchObject({ status: "pending", attempts: 0 });
    const otherPost = await post(account.key, { text: "elsewhere", channels: [free.id] });
    expect((await finished(account.key, otherPost.id)).status).toBe("published");

    await fault({ platform: "telegram", account: free.handle, call: "sendMessage", do: "status", status: 429, body });
    const late = await createDue(free, { text: "late" });
    await age(late.id, 20 * HOUR_MS);
    await runPublisher(free);
    expect(await getDelivery(late.id)).toMatchObject({ status: "failed", error: "network_quota", action: "wait" });
    await expectInvariantsHold();
  });

  it("is retried if its network refuses a token that was just renewed, while its channel is connected", async () => {
    const channel = await connect(account.key, "youtube");
    const videosTarget = { platform: "youtube", account: channel.handle, call: "videos.list", do: "status" };
    const answer = { items: [{ id: "x", status: { uploadStatus: "uploaded", privacyStatus: "public" } }] };
    const refused = { error: { code: 401, message: "Invalid Credentials", status: "UNAUTHENTICATED" } };
    await fault(
      { ...videosTarget, status: 200, body: answer, count: 1 },
      { ...videosTarget, status: 401, body: refused, count: 2 },
    );
    const video = await uploadVideo(account, 50_000);
    const { id } = await createDue(channel, {
      media: [video.id],
      overrides: { [channel.id]: { title: "Refused", made_for_kids: false } },
    });
    const getState = () =>
      testEnv.DB.prepare("SELECT state, last_try ->> '$.networkMessage' AS said FROM deliveries WHERE post_id = ?")
        .bind(id)
        .first<{ state: string; said: string | null }>();
    await runPublisher(channel);
    for (let i = 0; i < 5 && (await getState())?.said == null; i++) {
      expect(await getState()).toMatchObject({ state: "processing" });
      await age(id, HOUR_MS);
      await runPublisher(channel);
    }
    expect(await getState()).toMatchObject({
      state: "processing",
      said: expect.stringContaining("Invalid Credentials"),
    });
    await age(id, HOUR_MS);
    await runPublisher(channel);
    await finished(account.key, id);
    expect(await getDelivery(id)).toMatchObject({ status: "live", attempts: 1 });
    await expectInvariantsHold();
  });

  it("is marked as unknown if its network is still processing it after a day", async () => {
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
    const { id } = await createDue(channel, {
      media: [video.id],
      overrides: { [channel.id]: { title: "Long", made_for_kids: false } },
    });
    await runPublisher(channel);
    const getState = () =>
      testEnv.DB.prepare("SELECT state FROM deliveries WHERE post_id = ?").bind(id).first<string>("state");
    expect(await getState()).toBe("processing");
    await age(id, 23 * HOUR_MS);
    await runPublisher(channel);
    expect(await getState()).toBe("processing");
    await age(id, 2 * HOUR_MS);
    await runPublisher(channel);
    expect(await getDelivery(id)).toMatchObject({ status: "failed", error: "outcome_unknown", attempts: 1 });
    // The delay counts from now although the post was sent long ago, because the outcome may have become unknown only
    // now.
    const searchAt = await testEnv.DB.prepare("SELECT check_at FROM deliveries WHERE post_id = ?")
      .bind(id)
      .first<number>("check_at");
    expect(searchAt).toBeGreaterThan(Date.now());
    await expectInvariantsHold();
  });
});
