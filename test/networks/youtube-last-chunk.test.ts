// The last chunk of an upload publishes the video. Whether it is sent, lost or refused, there is never a second video.
import { describe, expect, it } from "vitest";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { ledger, mp4 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { buildLarge, publishPrepared, scriptStatus } from "./youtube-chunks.ts";
import {
  connectNew,
  faultCall,
  listUploads,
  prepare,
  prepareOnce,
  rejection,
  video,
  waitUntilProcessed,
} from "./youtube-driver.ts";

withSimulators({ chunksDivisor: CHUNKS_DIVISOR });

describe("the last chunk of a YouTube upload", () => {
  it.each([
    ["reset", { do: "reset_after_accept" }],
    ["an error", { do: "status_after_accept", status: 500, body: "x" }],
    ["a proxy's word", { do: "status_after_accept", status: 502, body: "<h1>Bad Gateway</h1>" }],
    ["half an answer", { do: "status_after_accept", status: 200, body: { kind: "youtube#video" } }],
  ])("creates one video if its answer is lost (%s), and the session names the video", async (_, answer) => {
    const testChannel = await connectNew();
    const publishKey = await prepareOnce(video("once"), testChannel.context);
    await faultCall(simulators, testChannel, "upload.last", answer);
    expect(await youtube.publish(video("once"), publishKey, testChannel.context)).toMatchObject({ is: "unknown" });
    const resolved = await youtube.reconcile?.(publishKey, testChannel.context);
    expect(resolved).toMatchObject({ is: "processing" });
    const [entry, ...otherEntries] = await ledger(simulators, testChannel.handle);
    expect(otherEntries).toEqual([]);
    expect(await waitUntilProcessed(resolved ?? { is: "none" }, testChannel.context)).toMatchObject({
      is: "live",
      id: entry?.id,
    });
  });

  it.each([
    ["reset", { do: "reset_before" }],
    ["an error", { do: "status", status: 503, body: "x" }],
  ])("is sent again in the same session if it never arrived (%s)", async (_, answer) => {
    const testChannel = await connectNew();
    const publishKey = await prepareOnce(buildLarge(), testChannel.context);
    await faultCall(simulators, testChannel, "upload.last", answer);
    expect(await youtube.publish(buildLarge(), publishKey, testChannel.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.reconcile?.(publishKey, testChannel.context)).toEqual({ is: "not_published" });
    expect(await ledger(simulators, testChannel.handle)).toEqual([]);
    await publishPrepared(publishKey, testChannel);
    expect(listUploads(testChannel.calls).filter((call) => call === "start")).toHaveLength(1);
  });

  it("creates one video if it is sent twice, in sequence or at once", async () => {
    const testChannel = await connectNew();
    const publishKey = await prepareOnce(video("once"), testChannel.context);
    const publish = () => youtube.publish(video("once"), publishKey, testChannel.context);
    const together = await Promise.all([publish(), publish()]);
    const ids = new Set(
      [...together, await publish()].map((outcome) => outcome.is === "processing" && Object(outcome.publishKey).id),
    );
    expect(await ledger(simulators, testChannel.handle)).toHaveLength(1);
    expect(ids.size).toBe(1);
  });

  it("sends the bytes that the network lacks, whether more or fewer than last known", async () => {
    for (const checkpoint of [0, 1]) {
      const testChannel = await connectNew();
      const { saved } = await prepare(buildLarge(), testChannel.context);
      await publishPrepared(saved[checkpoint] ?? null, testChannel);
    }

    // This publish key claims more bytes than the network has.
    const testChannel = await connectNew();
    const publishKey = { ...Object(await prepareOnce(video("x"), testChannel.context)), received: 50_000 };
    expect(await youtube.publish(video("x"), publishKey, testChannel.context)).toMatchObject({ is: "processing" });
    expect(await ledger(simulators, testChannel.handle)).toMatchObject([{ media: [{ bytes: 100_000 }] }]);
  });

  it("publishes nothing if an earlier chunk is missing", async () => {
    const testChannel = await connectNew();
    const publishKey = await prepareOnce(video("x"), testChannel.context);
    await faultCall(simulators, testChannel, "upload.last", scriptStatus(308, { range: "bytes=0-65535" }));
    expect(await youtube.publish(video("x"), publishKey, testChannel.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(await ledger(simulators, testChannel.handle)).toEqual([]);
  });

  it("publishes nothing if the file ends too soon, and the session reports it", async () => {
    const testChannel = await connectNew();
    const clip = mp4(100_000);
    const short: MediaFile = { ...clip, open: async () => await mp4(60_000).open() };
    const post = video("x", { media: [short] });
    const publishKey = await prepareOnce(post, testChannel.context);
    expect(await youtube.publish(post, publishKey, testChannel.context)).toMatchObject({ is: "unknown" });
    expect(await youtube.reconcile?.(publishKey, testChannel.context)).toEqual({ is: "not_published" });
    expect(await ledger(simulators, testChannel.handle)).toEqual([]);
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
  ])("is answered with %i %s and ends as %j", async (status, reason, outcome) => {
    const testChannel = await connectNew();
    const post = video("x");
    const publishKey = await prepareOnce(post, testChannel.context);
    await faultCall(simulators, testChannel, "upload.last", rejection(status, reason));
    const answer = await youtube.publish(post, publishKey, testChannel.context);
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
    [scriptStatus(404), { is: "retryable", error: "network_unavailable" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    [scriptStatus(308, { range: "bytes=0-99999" }), { is: "unknown" }],
  ])("is not sent if the status call before it is answered with %j", async (answer, outcome) => {
    const testChannel = await connectNew();
    const publishKey = await prepareOnce(video("x"), testChannel.context);
    await faultCall(simulators, testChannel, "upload.status", answer);
    expect(await youtube.publish(video("x"), publishKey, testChannel.context)).toMatchObject(outcome);
    expect(listUploads(testChannel.calls)).toEqual(["start", "put"]);
    expect(await ledger(simulators, testChannel.handle)).toEqual([]);
  });
});

describe("reconciling a YouTube session", () => {
  it.each([
    [{ do: "reset_before" }, { is: "unknown" }],
    [scriptStatus(404), { is: "unknown" }],
    [scriptStatus(410), { is: "unknown" }],
    [{ do: "status", status: 500, body: "x" }, { is: "unknown" }],
    [rejection(403, "forbidden"), { is: "unknown" }],
    [rejection(401, "authError"), { is: "unauthorized" }],
    [rejection(403, "rateLimitExceeded"), { is: "retryable", error: "network_quota" }],
    [scriptStatus(308, { range: "nonsense" }), { is: "unknown" }],
    [scriptStatus(308), { is: "not_published" }],
  ])("after %j ends as %j", async (answer, outcome) => {
    const testChannel = await connectNew();
    const publishKey = await prepareOnce(video("x"), testChannel.context);
    await faultCall(simulators, testChannel, "upload.status", answer);
    expect(await youtube.reconcile?.(publishKey, testChannel.context)).toMatchObject(outcome);
  });

  it("allows sending again only when no earlier call can still arrive", () => {
    expect(youtube).toMatchObject({ publishTimeoutMs: 270_000, republishAfterMs: 390_000 });
  });
});
