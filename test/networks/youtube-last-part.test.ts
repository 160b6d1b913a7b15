// The last part of an upload publishes the video: sent, lost or refused, there is never a second one.
import { describe, expect, it } from "vitest";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { ledger, mp4 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { fresh, onCall, prepare, prepared, processed, rejection, uploads, video } from "./youtube-driver.ts";
import { finish, large, script } from "./youtube-parts.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });

describe("the last part", () => {
  it.each([
    ["reset", { do: "reset_after_accept" }],
    ["an error", { do: "status_after_accept", status: 500, body: "x" }],
    ["a proxy's word", { do: "status_after_accept", status: 502, body: "<h1>Bad Gateway</h1>" }],
    ["half an answer", { do: "status_after_accept", status: 200, body: { kind: "youtube#video" } }],
  ])("whose answer is lost (%s) made one video, and the session names it", async (_, what) => {
    const at = await fresh();
    const publishKey = await prepared(video("once"), at.context);
    await onCall(simulators, at, "upload.last", what);
    expect(await youtube.publish(video("once"), publishKey, at.context)).toMatchObject({ is: "unknown" });
    const resolved = await youtube.reconcile?.(publishKey, at.context);
    expect(resolved).toMatchObject({ is: "processing" });
    const [entry, ...others] = await ledger(simulators, at.handle);
    expect(others).toEqual([]);
    expect(await processed(resolved ?? { is: "none" }, at.context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it.each([
    ["reset", { do: "reset_before" }],
    ["an error", { do: "status", status: 503, body: "x" }],
  ])("that never arrived (%s) is sent again in the same session", async (_, what) => {
    const at = await fresh();
    const publishKey = await prepared(large(), at.context);
    await onCall(simulators, at, "upload.last", what);
    expect(await youtube.publish(large(), publishKey, at.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.reconcile?.(publishKey, at.context)).toEqual({ is: "not_published" });
    expect(await ledger(simulators, at.handle)).toEqual([]);
    await finish(publishKey, at);
    expect(uploads(at.calls).filter((call) => call === "start")).toHaveLength(1);
  });

  it("sent twice, one after the other or at once, makes one video", async () => {
    const at = await fresh();
    const publishKey = await prepared(video("once"), at.context);
    const publish = () => youtube.publish(video("once"), publishKey, at.context);
    const together = await Promise.all([publish(), publish()]);
    const ids = new Set(
      [...together, await publish()].map((outcome) => outcome.is === "processing" && Object(outcome.publishKey).id),
    );
    expect(await ledger(simulators, at.handle)).toHaveLength(1);
    expect(ids.size).toBe(1);
  });

  it("sends what the network lacks, be it more or less than was last known", async () => {
    for (const checkpoint of [0, 1]) {
      const at = await fresh();
      const { saved } = await prepare(large(), at.context);
      await finish(saved[checkpoint] ?? null, at);
    }

    // This handle says more than the network has.
    const at = await fresh();
    const publishKey = { ...Object(await prepared(video("x"), at.context)), received: 50_000 };
    expect(await youtube.publish(video("x"), publishKey, at.context)).toMatchObject({ is: "processing" });
    expect(await ledger(simulators, at.handle)).toMatchObject([{ media: [{ bytes: 100_000 }] }]);
  });

  it("of which a part is still missing published nothing", async () => {
    const at = await fresh();
    const publishKey = await prepared(video("x"), at.context);
    await onCall(simulators, at, "upload.last", script(308, { range: "bytes=0-65535" }));
    expect(await youtube.publish(video("x"), publishKey, at.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(await ledger(simulators, at.handle)).toEqual([]);
  });

  it("of a file that ends too soon published nothing, and the session says so", async () => {
    const at = await fresh();
    const clip = mp4(100_000);
    const short: MediaFile = { ...clip, open: async () => await mp4(60_000).open() };
    const post = video("x", { media: [short] });
    const publishKey = await prepared(post, at.context);
    expect(await youtube.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.reconcile?.(publishKey, at.context)).toEqual({ is: "not_published" });
    expect(await ledger(simulators, at.handle)).toEqual([]);
  });

  it.each([
    [401, "authError", { is: "unauthorized" }],
    [403, "quotaExceeded", { is: "retryable", error: "network_quota" }],
    [403, "forbidden", { is: "rejected", error: "permission_missing" }],
    [400, "invalidVideoMetadata", { is: "rejected", error: "content_refused" }],
    [413, "uploadTooLarge", { is: "rejected", error: "media_refused" }],
    [503, "backendError", { is: "unknown" }],
    [404, "notFound", { is: "unknown" }],
    [410, "gone", { is: "unknown" }],
  ])("answered %i %s is %j", async (status, reason, outcome) => {
    const at = await fresh();
    const post = video("x");
    const publishKey = await prepared(post, at.context);
    await onCall(simulators, at, "upload.last", rejection(status, reason));
    const answer = await youtube.publish(post, publishKey, at.context);
    expect(answer).toMatchObject(outcome);
    if (status === 413)
      expect(answer).toMatchObject({
        detail: `file 1 (${post.media[0]?.id})`,
        networkMessage: "said so (uploadTooLarge)",
      });
  });

  it.each([
    [{ do: "reset_before" }, { is: "retryable", error: "network_unavailable" }],
    [
      { do: "status", status: 500, body: "x" },
      { is: "retryable", error: "network_unavailable" },
    ],
    [script(404), { is: "retryable", error: "network_unavailable" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    [script(308, { range: "bytes=0-99999" }), { is: "unknown" }],
  ])("is not sent when the question before it is answered with %j", async (what, outcome) => {
    const at = await fresh();
    const publishKey = await prepared(video("x"), at.context);
    await onCall(simulators, at, "upload.status", what);
    expect(await youtube.publish(video("x"), publishKey, at.context)).toMatchObject(outcome);
    expect(uploads(at.calls)).toEqual(["start", "put"]);
    expect(await ledger(simulators, at.handle)).toEqual([]);
  });
});

describe("reconciling a session", () => {
  it.each([
    [{ do: "reset_before" }, { is: "unknown" }],
    [script(404), { is: "unknown" }],
    [script(410), { is: "unknown" }],
    [{ do: "status", status: 500, body: "x" }, { is: "unknown" }],
    [rejection(403, "forbidden"), { is: "unknown" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "rateLimitExceeded"), { is: "retryable", error: "network_quota" }],
    [script(308, { range: "nonsense" }), { is: "unknown" }],
    [script(308), { is: "not_published" }],
  ])("after %j is %j", async (what, outcome) => {
    const at = await fresh();
    const publishKey = await prepared(video("x"), at.context);
    await onCall(simulators, at, "upload.status", what);
    expect(await youtube.reconcile?.(publishKey, at.context)).toMatchObject(outcome);
  });

  it("may be sent again when no earlier call can still arrive", () => {
    expect(youtube).toMatchObject({ publishTimeoutMs: 270_000, republishAfterMs: 390_000 });
  });
});
