// Receipts: a JWS over what was accepted, sent and seen.
import { createHash } from "node:crypto";
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose";
import { describe, expect, it } from "vitest";
import { check } from "../support/after.ts";
import { type Account, call, connect, finished, post, signUp, uploadJpeg } from "../support/world.ts";

interface Signed extends JSONWebKeySet {
  receipt: string;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function getReceipt({ key }: Account, id: string) {
  const { status, body } = await call<Signed>("GET", `/v1/posts/${id}/receipt`, { token: key });
  expect(status).toBe(200);
  const listed = await call<JSONWebKeySet>("GET", "/.well-known/jwks.json");
  const { payload } = await compactVerify(body.receipt, createLocalJWKSet(listed.body));
  expect(listed.body.keys).toContainEqual(body.keys[0]);
  return JSON.parse(new TextDecoder().decode(payload));
}

describe("the receipt of a post", () => {
  it("shows the accepted content, the call with its answer, the network's post and its rechecks", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const { id: image } = await uploadJpeg(account);
    const { id } = await post(account.key, {
      text: "for the record",
      channels: [channel.id],
      media: [image],
    });
    const { deliveries } = await finished(account.key, id);
    await check(account.key, id);
    const claims = await getReceipt(account, id);
    expect(claims).toMatchObject({ sub: id, workspace: account.workspace, version: 1 });
    const [delivery] = claims.deliveries;
    expect(delivery).toMatchObject({
      channel: channel.id,
      handle: channel.handle,
      status: "live",
      accepted: { text_sha256: sha256("for the record"), media: [image], thread: [] },
      posts: [{ url: deliveries[0]?.url, published_at: deliveries[0]?.published_at }],
      rechecks: [{ result: "found" }],
      takedown: null,
    });
    const [sent] = delivery.calls;
    expect(delivery.calls).toHaveLength(1);
    expect(sent).toMatchObject({ outcome: "live", answered_at: deliveries[0]?.published_at });
    expect(sent.sent_at <= sent.answered_at).toBe(true);
    expect(sent.files).toEqual([{ media: image, etag: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  });

  it("shows the replies of a thread, each with its call and its post", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const { id } = await post(account.key, {
      text: "one",
      channels: [channel.id],
      thread: [{ text: "two" }, { text: "three" }],
    });
    await finished(account.key, id);
    const [delivery] = (await getReceipt(account, id)).deliveries;
    expect(delivery.accepted.thread.map(({ text_sha256 }: { text_sha256: string }) => text_sha256)).toEqual([
      sha256("two"),
      sha256("three"),
    ]);
    expect(delivery.posts).toHaveLength(3);
    expect(delivery.calls).toHaveLength(3);
    for (const { sent_at, answered_at } of delivery.calls) expect(sent_at <= answered_at).toBe(true);
  });

  it("is refused for another workspace's post, and says nothing was sent for a scheduled one", async () => {
    const [account, stranger] = [await signUp(), await signUp()];
    const channel = await connect(account.key, "telegram");
    const publish_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await post(account.key, { text: "later", channels: [channel.id], publish_at });
    expect(await call("GET", `/v1/posts/${id}/receipt`, { token: stranger.key })).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
    expect((await getReceipt(account, id)).deliveries[0]).toMatchObject({ status: "pending", calls: [], posts: [] });
  });
});
