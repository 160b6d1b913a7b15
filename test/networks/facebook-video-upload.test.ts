// Uploading a video to a Facebook Page, under an id that can be polled.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/media-file.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import {
  account,
  faultCall,
  graphError,
  posts,
  prepareAll,
  publish,
  type TestPage,
  waitUntilProcessed,
} from "./facebook-page.ts";
import {
  BYTES,
  buildVideoPost,
  CHUNK_BYTES,
  createPageWithSpelling,
  inBothSpellings,
  LARGE_BYTES,
  upright,
} from "./facebook-videos.ts";
import { computeSum, mp4, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators({ chunksDivisor: CHUNKS_DIVISOR });
const countUploads = ({ calls }: TestPage) => calls.filter(({ url }) => url.includes("/video-upload/")).length;

describe("the upload of a Facebook reel or story", () => {
  /** A video whose stream breaks once, after `after` bytes. */
  function breakOnce(video: MediaFile, after: number): MediaFile {
    let broken = false;
    return {
      ...video,
      async open(range) {
        const whole = await video.open(range);
        if (broken) return whole;
        broken = true;
        let sentBytes = 0;
        return whole.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              const remainingBytes = after - sentBytes;
              sentBytes += chunk.byteLength;
              if (chunk.byteLength < remainingBytes) return controller.enqueue(chunk);
              controller.enqueue(chunk.subarray(0, remainingBytes));
              // The bytes that were passed on leave before the stream breaks.
              setTimeout(() => controller.error(new Error("the source broke")), 50);
              return new Promise(() => {});
            },
          }),
        );
      },
    };
  }

  const kinds = inBothSpellings(["reel", "story"] as const);
  it.each(kinds)("continues after the bytes that the network has received: %s, %s", async (kind, spelling) => {
    const testPage = await createPageWithSpelling(spelling);
    const whole = upright();
    const savedKeys: Json[] = [];
    const answers = await prepareAll(buildVideoPost(kind, breakOnce(whole, 100_000)), testPage.context, savedKeys);
    expect(answers[0]).toMatchObject({ is: "retryable", error: "network_unavailable", retryAt: expect.any(Number) });
    expect(answers.at(-1)).toMatchObject({ is: "prepared" });
    expect(countUploads(testPage)).toBe(2);
    const sentPositions = savedKeys.map((publishKey) => (publishKey as { sent: number }).sent);
    expect(sentPositions[0]).toBe(0);
    expect(sentPositions[1]).toBeGreaterThan(0);
    expect(sentPositions[1]).toBeLessThan(BYTES);
    const last = answers.at(-1);
    const publishKey = last?.is === "prepared" ? last.publishKey : null;
    await waitUntilProcessed(
      await facebook.publish(buildVideoPost(kind, whole), publishKey, testPage.context),
      testPage.context,
    );
    expect((await posts(testPage))[0]?.media).toMatchObject([await computeSum(whole)]);
  });

  it("is not repeated if all bytes arrived without an answer", async () => {
    const testPage = await account();
    await faultCall(simulators, testPage, "video-upload", { do: "reset_after_accept" });
    expect(await prepareAll(buildVideoPost("reel"), testPage.context)).toMatchObject([{ is: "prepared" }]);
    expect(countUploads(testPage)).toBe(1);
  });

  it("continues after a crash from the network's position, not from the saved position", async () => {
    const testPage = await account();
    const savedKeys: Json[] = [];
    const post = buildVideoPost("reel");
    await facebook.prepare(post, testPage.context, null, async (publishKey) => {
      savedKeys.push(publishKey);
    });
    // The answer was lost, so only the first checkpoint is saved.
    expect(savedKeys).toHaveLength(1);
    expect(await prepareAll(post, testPage.context, savedKeys)).toMatchObject([{ is: "prepared" }]);
    expect(countUploads(testPage)).toBe(1);
  });

  it("makes no call before the requested wait is over", async () => {
    const testPage = await account();
    const busy = { do: "status", status: 429, headers: { "retry-after": "600" }, body: "" };
    await faultCall(simulators, testPage, "video-upload", busy);
    const answer = await facebook.prepare(buildVideoPost("reel"), testPage.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable", notBefore: expect.any(Number) });
    expect(testPage.calls.at(-1)?.url).toContain("/video-upload/");
  });

  it.each([
    ["OffsetInvalidError", "resume"],
    ["PartialRequestError", "resume"],
    ["ProcessingFailedError", "again"],
    ["SomethingNew", "resume"],
  ])("continues correctly after the error %s: %s", async (type, reaction) => {
    const testPage = await account();
    const body = { debug_info: { retriable: false, type, message: "m" } };
    await faultCall(simulators, testPage, "video-upload", { do: "status", status: 400, body });
    const answers = await prepareAll(buildVideoPost("reel"), testPage.context);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(testPage.calls.filter(({ url }) => url.endsWith("/video_reels"))).toHaveLength(reaction === "again" ? 2 : 1);
  });

  it.each([
    ["is no longer known", { do: "status", status: 400, body: graphError(100, 33) }],
    ["has expired", { do: "status", status: 200, body: { id: "1", status: { video_status: "expired" } } }],
    ["failed", { do: "status", status: 200, body: { id: "1", status: { video_status: "upload_failed" } } }],
  ])("starts again if the video %s", async (_, answer) => {
    const testPage = await account();
    await faultCall(simulators, testPage, "video-upload", { do: "reset_before" });
    await faultCall(simulators, testPage, "node", answer);
    const answers = await prepareAll(buildVideoPost("reel"), testPage.context);
    expect(answers).toMatchObject([{ is: "retryable" }, { is: "prepared" }]);
    expect(testPage.calls.filter(({ url }) => url.endsWith("/video_reels"))).toHaveLength(2);
  });

  it("skips the received bytes if the file can only be read as a whole", async () => {
    const testPage = await account();
    const whole = upright();
    const broken = breakOnce(whole, 100_000);
    const open: MediaFile["open"] = (range) =>
      range === undefined ? broken.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
    const post = buildVideoPost("reel", { ...broken, open });
    const { entry } = await publish(simulators, post, testPage);
    expect(entry.media).toMatchObject([await computeSum(whole)]);
  });

  it("reports a file that no longer exists", async () => {
    const { context } = await account();
    const open = () => Promise.reject(new MediaUnavailable("file 1 is gone", false));
    await expect(prepareAll(buildVideoPost("reel", { ...upright(), open }), context)).rejects.toThrow("file 1 is gone");
  });

  it("of a story waits until the network has processed every byte", async () => {
    const testPage = await account();
    const body = {
      id: "1",
      status: { video_status: "uploading", uploading_phase: { status: "in_progress", bytes_transfered: 5 } },
    };
    await faultCall(simulators, testPage, "node", { do: "status", status: 200, body });
    const answers = await prepareAll(buildVideoPost("story"), testPage.context);
    expect(answers).toMatchObject([{ is: "retryable", retryAt: expect.any(Number) }, { is: "prepared" }]);
    expect(countUploads(testPage)).toBe(1);
  });
});

describe("the chunks of a plain Facebook video", () => {
  const film = (media = mp4(LARGE_BYTES)) => publication("film", { media: [media] });
  const readPositions = (savedKeys: Json[]) => savedKeys.map((publishKey) => (publishKey as { sent: number }).sent);

  it("are checkpoints, and the upload continues after the last one that arrived", async () => {
    const testPage = await account();
    const savedKeys: Json[] = [];
    const video = mp4(LARGE_BYTES);
    await faultCall(simulators, testPage, "videos.transfer", { do: "reset_before", skip: 1 });
    const answers = await prepareAll(film(video), testPage.context, savedKeys);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(readPositions(savedKeys)).toEqual([0, CHUNK_BYTES, 2 * CHUNK_BYTES, LARGE_BYTES]);
    const { entry } = await publish(simulators, film(video), testPage);
    expect(entry.media).toMatchObject([await computeSum(video)]);
  });

  it("are not sent twice if they arrived without an answer", async () => {
    const testPage = await account();
    const savedKeys: Json[] = [];
    const video = mp4(LARGE_BYTES);
    await faultCall(simulators, testPage, "videos.transfer", { do: "reset_after_accept", skip: 1 });
    const answers = await prepareAll(film(video), testPage.context, savedKeys);
    expect(answers).toMatchObject([{ is: "retryable" }, { is: "prepared" }]);
    const last = answers.at(-1);
    const publishKey = last?.is === "prepared" ? last.publishKey : null;
    await waitUntilProcessed(await facebook.publish(film(video), publishKey, testPage.context), testPage.context);
    expect((await posts(testPage))[0]?.media).toMatchObject([await computeSum(video)]);
  });

  it("lead to the same video after a crash at each checkpoint", async () => {
    const testPage = await account();
    const video = mp4(LARGE_BYTES);
    const savedKeys: Json[] = [];
    await prepareAll(film(video), testPage.context, savedKeys);
    expect(savedKeys).toHaveLength(4);
    for (const publishKey of savedKeys) {
      const again = await prepareAll(film(video), testPage.context, [publishKey]);
      expect(again).toMatchObject([{ is: "prepared" }]);
    }
    expect(testPage.calls.filter(({ url, body }) => url.endsWith("/videos") && body?.includes("start"))).toHaveLength(
      0,
    );
  });

  it("are uploaded again if the network no longer knows the session", async () => {
    const testPage = await account();
    const savedKeys: Json[] = [];
    await faultCall(simulators, testPage, "videos.transfer", { do: "reset_before", skip: 1 });
    const forgotten = { do: "status", status: 400, body: graphError(100) };
    await faultCall(simulators, testPage, "videos.transfer", forgotten);
    expect(await prepareAll(film(), testPage.context, savedKeys)).toMatchObject([
      { is: "retryable" },
      { is: "retryable" },
      { is: "prepared" },
    ]);
    expect(readPositions(savedKeys)).toEqual([0, CHUNK_BYTES, undefined, 0, CHUNK_BYTES, 2 * CHUNK_BYTES, LARGE_BYTES]);
    // The network cannot have forgotten a session of this moment, so the error is about the file.
    await faultCall(simulators, testPage, "videos.transfer", forgotten);
    expect(await prepareAll(film(), testPage.context)).toMatchObject([
      { is: "rejected", error: "media_refused", detail: expect.stringContaining("file 1 (med_") },
    ]);
  });

  it("stop if the network keeps asking for the same chunk", async () => {
    const testPage = await account();
    const body = { start_offset: "0", end_offset: "1000" };
    await faultCall(simulators, testPage, "videos.transfer", { do: "status", status: 200, body, count: 1_000 });
    const answer = await facebook.prepare(film(mp4(2_000)), testPage.context, null, async () => {});
    expect(answer).toEqual({ is: "retryable", error: "network_unavailable", detail: expect.any(String) });
  });

  it("use up a try if nothing arrives, and none if the network only asks to wait", async () => {
    const testPage = await account();
    await faultCall(simulators, testPage, "videos.start", { do: "status", status: 400, body: graphError(613) });
    expect(await facebook.prepare(film(), testPage.context, null, async () => {})).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await faultCall(simulators, testPage, "videos.transfer", { do: "status", status: 500 });
    const answer = await facebook.prepare(film(), testPage.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable" });
    expect(answer).not.toHaveProperty("retryAt");
  });
});
