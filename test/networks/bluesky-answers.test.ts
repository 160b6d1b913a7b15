// Bluesky's answers to a post, and what the connector makes of a lost answer.
import { describe, expect, it } from "vitest";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { account, answerStatus, faultCall } from "./bluesky-account.ts";
import { fault, ledger, makeUnreadable, png, prepareOnce, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const PUT = "com.atproto.repo.putRecord";
const NOT_FOUND = { status: 400, body: { error: "BlobNotFound", message: "Could not find blob" } };

describe("sending a Bluesky post", () => {
  const prepareText = async (text: string) => {
    const post = publication(text);
    const { handle, context } = await account();
    return { handle, context, post, publishKey: await prepareOnce(bluesky, post, context) };
  };

  it("is unauthorized with an expired token, and publishes once with a refreshed token", async () => {
    const { handle, context, post, publishKey } = await prepareText("fresh");
    await fault(simulators, { platform: "bluesky", account: handle, expire_token: true });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "unauthorized" });
    const fresh = await bluesky.refresh?.(context);
    if (fresh?.is !== "fresh") throw new Error(fresh?.is);
    expect(await bluesky.publish(post, publishKey, { ...context, credential: fresh.credential })).toMatchObject({
      is: "live",
    });
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it("is reconciled after a lost answer, and sending it again changes nothing", async () => {
    const { handle, context, post, publishKey } = await prepareText("lost");
    await faultCall(handle, PUT, { do: "reset_after_accept" });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "unknown" });
    const live = await bluesky.reconcile?.(publishKey, context);
    expect(live).toMatchObject({ is: "live" });
    expect(await bluesky.publish(post, publishKey, context)).toEqual(live);
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it("is not_published if the call never arrived, and the same key may be sent again", async () => {
    const { handle, context, post, publishKey } = await prepareText("never");
    await faultCall(handle, PUT, { do: "reset_before" });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "unknown" });
    expect(await bluesky.reconcile?.(publishKey, context)).toEqual({ is: "not_published" });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "live" });
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it.each([
    [429, { error: "RateLimitExceeded", message: "Rate Limit Exceeded" }, { is: "retryable", error: "network_quota" }],
    [429, "Too many requests", { is: "retryable", error: "network_quota" }],
    [400, { error: "InvalidRequest", message: "grapheme too big" }, { is: "rejected", error: "content_refused" }],
    [400, { error: "InvalidMimeType" }, { is: "rejected", error: "media_refused" }],
    [401, { error: "AccountTakedown" }, { is: "rejected", error: "token_revoked" }],
    [401, { error: "NeverSeenBefore" }, { is: "unauthorized" }],
    [403, { error: "NeverSeenBefore" }, { is: "rejected", error: "permission_missing" }],
    [422, { error: "NeverSeenBefore" }, { is: "rejected", error: "content_refused" }],
    [400, "<h1>Bad Request</h1>", { is: "unknown" }],
    [500, { error: "InternalServerError" }, { is: "unknown" }],
    [502, { error: "UpstreamFailure" }, { is: "unknown" }],
    [200, "<h1>Welcome</h1>", { is: "unknown" }],
    [200, { uri: "at://did:plc:x/app.bsky.feed.post/other", cid: "x" }, { is: "unknown" }],
  ])("is answered with %i %j and ends as %j", async (code, body, outcome) => {
    const { handle, context, post, publishKey } = await prepareText("answered");
    await faultCall(handle, PUT, answerStatus(code, body, { headers: { "retry-after": "90" } }));
    const before = Date.now();
    const answer = await bluesky.publish(post, publishKey, context);
    expect(answer).toMatchObject(outcome);
    if (answer.is === "retryable") expect(answer.notBefore).toBeGreaterThanOrEqual(before + 90_000);
  });

  it("is rejected by the network itself if the text exceeds the limit", async () => {
    const { context, post, publishKey } = await prepareText("x".repeat(301));
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({
      is: "rejected",
      error: "content_refused",
      networkMessage: expect.stringContaining("maximum 300"),
    });
  });

  it("uploads deleted blobs again once, and reports a file that remains missing", async () => {
    const { handle, context } = await account();
    const post = publication("swept", { media: [png()] });
    const publishKey = await prepareOnce(bluesky, post, context);
    await faultCall(handle, PUT, { do: "status", ...NOT_FOUND, count: 2 });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({
      is: "rejected",
      error: "media_missing",
    });
    await faultCall(handle, PUT, { do: "status", ...NOT_FOUND });
    expect(await bluesky.publish({ ...post, media: [makeUnreadable(png(), true)] }, publishKey, context)).toMatchObject(
      {
        is: "retryable",
      },
    );
    await faultCall(handle, PUT, { do: "status", ...NOT_FOUND });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "live" });
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it("is live under an existing key only if the record there is ours", async () => {
    const { handle, context, post, publishKey } = await prepareText("mine");
    await faultCall(handle, PUT, { do: "status_after_accept", status: 400, body: { error: "InvalidSwap" } });
    expect(await bluesky.publish(post, publishKey, context)).toMatchObject({ is: "live" });
    const otherKey = JSON.parse(JSON.stringify(publishKey));
    otherKey.record.text = "not mine";
    expect(await bluesky.publish(post, otherKey, context)).toMatchObject({ is: "rejected", error: "content_refused" });
    expect((await ledger(simulators, handle)).map(({ text }) => text)).toEqual(["mine"]);
  });

  it("is unauthorized if the token expires while it is reconciled, never not_published", async () => {
    const { handle, context, publishKey } = await prepareText("asked");
    const call = "com.atproto.repo.getRecord";
    await faultCall(handle, call, answerStatus(400, { error: "ExpiredToken" }));
    expect(await bluesky.reconcile?.(publishKey, context)).toMatchObject({ is: "unauthorized" });
    await faultCall(handle, call, answerStatus(200, { uri: "at://x", value: null }));
    expect(await bluesky.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown" });
    await faultCall(handle, call, answerStatus(404, "<h1>Not Found</h1>"));
    expect(await bluesky.reconcile?.(publishKey, context)).toMatchObject({ is: "unknown" });
  });
});
