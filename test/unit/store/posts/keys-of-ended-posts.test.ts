// The expiry of a post's idempotency key, for every way in which the post can end.
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { IDEMPOTENCY_TOMBSTONE_MS } from "../../../../src/domain/limits.ts";
import { batch } from "../../../../src/store/db/batch.ts";
import { deliveries, idempotencyKeys, posts } from "../../../../src/store/db/schema.ts";
import { cancelUnsent } from "../../../../src/store/deliveries/stop-unsent.ts";
import { cancelPost, discardDraft } from "../../../../src/store/posts/cancel.ts";
import { refreshPosts } from "../../../../src/store/posts/status.ts";
import { withdrawPosts } from "../../../../src/store/posts/withdraw.ts";
import { makeDeliveryRecord, makeEvent, makeProof, record, sending } from "../deliveries/delivery-records.ts";
import { db, NOW, pass, storedDelivery } from "../deliveries/stored-delivery.ts";

const EXPIRED = NOW + IDEMPOTENCY_TOMBSTONE_MS;

type Columns = Parameters<typeof storedDelivery>[0];

/** Stores a post with one delivery, created under the key "once". */
async function storeKeyedPost(columns: Columns = {}, post: Partial<typeof posts.$inferInsert> = {}) {
  const stored = await storedDelivery(columns);
  const { workspaceId, postId: id, channelId } = stored.key;
  const isThis = and(eq(posts.workspaceId, workspaceId), eq(posts.id, id));
  await db
    .delete(deliveries)
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        sql`NOT (${deliveries.postId} = ${id} AND ${deliveries.channelId} = ${channelId})`,
      ),
    );
  await db
    .update(posts)
    .set({ idempotencyKey: "once", ...post })
    .where(isThis);
  const key = { workspaceId, key: "once", postId: id, fingerprint: "f", createdAt: 0 };
  await db.insert(idempotencyKeys).values(key);
  return {
    ...stored,
    workspaceId,
    id,
    cancel: () => cancelPost(db, workspaceId, id, null),
    status: async () => (await stored.readPost()).status,
    expiresAt: async () =>
      (await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.workspaceId, workspaceId)))[0]?.expiresAt,
  };
}

const failed = {
  state: "failed",
  nextAt: null,
  hasOpenSend: false,
  error: "content_refused",
  event: "delivery.failed",
} as const;

describe("the idempotency key of a post", () => {
  it("an idempotency key expires 30 days after a caller cancels the post", async () => {
    const post = await storeKeyedPost();
    await post.cancel();
    expect(await post.status()).toBe("cancelled");
    expect(await post.expiresAt()).toBe(EXPIRED);
  });

  it("cancelling a post a second time does not extend its idempotency key", async () => {
    const post = await storeKeyedPost();
    await post.cancel();
    pass(60_000);
    await post.cancel();
    expect(await post.expiresAt()).toBe(EXPIRED);
  });

  it("an idempotency key expires after a waiting post is cancelled", async () => {
    const post = await storeKeyedPost({}, { status: "awaiting_approval" });
    await db.delete(deliveries).where(eq(deliveries.workspaceId, post.workspaceId));
    await cancelPost(db, post.workspaceId, post.id, null, { from: "awaiting_approval" });
    expect(await post.status()).toBe("cancelled");
    expect(await post.expiresAt()).toBe(EXPIRED);
  });

  it("an idempotency key expires after a publisher cancels the unsent deliveries", async () => {
    const post = await storeKeyedPost({}, { cancelledAt: NOW });
    await cancelUnsent(db, post.guard);
    expect(await post.status()).toBe("cancelled");
    expect(await post.expiresAt()).toBe(EXPIRED);
  });

  it("an idempotency key expires when the last open delivery of a cancelled post fails", async () => {
    const post = await storeKeyedPost(sending);
    await db.insert(deliveries).values({
      ...post.key,
      channelId: "ch_2",
      id: `${post.workspaceId}_second`,
      platform: "telegram",
      state: "pending",
      nextAt: NOW,
    });
    await post.cancel();
    expect(await post.status()).toBe("scheduled");
    expect(await post.expiresAt()).toBeNull();
    await record(makeDeliveryRecord(post, { decision: failed, event: makeEvent("delivery.failed") }));
    expect(await post.status()).toBe("cancelled");
    expect(await post.expiresAt()).toBe(EXPIRED);
  });

  it("an idempotency key expires when a change of the workspace's owner cancels a started post", async () => {
    const post = await storeKeyedPost({ state: "staged", startedAt: NOW });
    await batch(db, withdrawPosts(db, { workspaces: sql`(${post.workspaceId})`, condition: sql`TRUE`, until: NOW }));
    expect(await post.status()).toBe("cancelled");
    expect(await post.expiresAt()).toBe(EXPIRED);
  });

  it("an idempotency key expires after a draft is discarded", async () => {
    const post = await storeKeyedPost({}, { status: "draft" });
    await db.delete(deliveries).where(eq(deliveries.workspaceId, post.workspaceId));
    expect(await discardDraft(db, post.workspaceId, post.id)).toBe(true);
    expect(await post.expiresAt()).toBe(EXPIRED);
  });

  it("an idempotency key does not expire when the post is published", async () => {
    const post = await storeKeyedPost(sending);
    await record(makeProof(post));
    expect(await post.status()).toBe("published");
    expect(await post.expiresAt()).toBeNull();
  });

  it("an idempotency key does not expire when the post fails", async () => {
    const post = await storeKeyedPost(sending);
    await record(makeDeliveryRecord(post, { decision: failed, event: makeEvent("delivery.failed") }));
    expect(await post.status()).toBe("failed");
    expect(await post.expiresAt()).toBeNull();
  });

  it("an idempotency key does not expire when a change of the workspace's owner turns the post into a draft", async () => {
    const post = await storeKeyedPost();
    await batch(db, withdrawPosts(db, { workspaces: sql`(${post.workspaceId})`, condition: sql`TRUE`, until: NOW }));
    expect(await post.status()).toBe("draft");
    expect(await post.expiresAt()).toBeNull();
  });

  it("an idempotency key loses its expiry when late proof shows that a cancelled post is live", async () => {
    const post = await storeKeyedPost(
      { ...sending, state: "outcome_unknown", nextAt: null, hasOpenSend: true },
      { cancelledAt: NOW },
    );
    await db.insert(deliveries).values({
      ...post.key,
      channelId: "ch_2",
      id: `${post.workspaceId}_second`,
      platform: "telegram",
      state: "cancelled",
    });
    await refreshPosts(db, sql`SELECT ${post.workspaceId}, ${post.id}`);
    expect(await post.status()).toBe("cancelled");
    expect(await post.expiresAt()).toBe(EXPIRED);
    await record(makeProof(post));
    expect(await post.status()).toBe("partially_published");
    expect(await post.expiresAt()).toBeNull();
  });

  it("a post does not change an idempotency key that belongs to another post now", async () => {
    const post = await storeKeyedPost();
    await db.update(idempotencyKeys).set({ postId: "post_2" }).where(eq(idempotencyKeys.workspaceId, post.workspaceId));
    await post.cancel();
    expect(await post.status()).toBe("cancelled");
    expect(await post.expiresAt()).toBeNull();
  });
});
