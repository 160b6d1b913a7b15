// The upload of a video to a Facebook Page, under an id that can be asked for.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { type MediaFile, MediaUnavailable } from "../../src/networks/media-file.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
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
import { accountIn, BYTES, inBothSpellings, LARGE, of, PART, upright } from "./facebook-videos.ts";
import { mp4, publication, sumOf } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });
const uploads = ({ calls }: TestPage) => calls.filter(({ url }) => url.includes("/video-upload/")).length;

describe("the upload of a reel or story", () => {
  /** Breaks off after so many bytes, once. */
  function breaking(video: MediaFile, after: number): MediaFile {
    let broken = false;
    return {
      ...video,
      async open(range) {
        const whole = await video.open(range);
        if (broken) return whole;
        broken = true;
        let sent = 0;
        return whole.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              const left = after - sent;
              sent += chunk.byteLength;
              if (chunk.byteLength < left) return controller.enqueue(chunk);
              controller.enqueue(chunk.subarray(0, left));
              // What was handed on leaves before the stream breaks.
              setTimeout(() => controller.error(new Error("the source broke")), 50);
              return new Promise(() => {});
            },
          }),
        );
      },
    };
  }

  const kinds = inBothSpellings(["reel", "story"] as const);
  it.each(kinds)("goes on where it broke off, as the network counted it: %s, %s", async (kind, spelling) => {
    const at = await accountIn(spelling);
    const whole = upright();
    const saved: Json[] = [];
    const answers = await prepareAll(of(kind, breaking(whole, 100_000)), at.context, saved);
    expect(answers[0]).toMatchObject({ is: "retryable", error: "network_unavailable", retryAt: expect.any(Number) });
    expect(answers.at(-1)).toMatchObject({ is: "prepared" });
    expect(uploads(at)).toBe(2);
    const sent = saved.map((publishKey) => (publishKey as { sent: number }).sent);
    expect(sent[0]).toBe(0);
    expect(sent[1]).toBeGreaterThan(0);
    expect(sent[1]).toBeLessThan(BYTES);
    const last = answers.at(-1);
    const publishKey = last?.is === "prepared" ? last.publishKey : null;
    await waitUntilProcessed(await facebook.publish(of(kind, whole), publishKey, at.context), at.context);
    expect((await posts(at))[0]?.media).toMatchObject([await sumOf(whole)]);
  });

  it("that arrived without an answer is not made again", async () => {
    const at = await account();
    await faultCall(simulators, at, "video-upload", { do: "reset_after_accept" });
    expect(await prepareAll(of("reel"), at.context)).toMatchObject([{ is: "prepared" }]);
    expect(uploads(at)).toBe(1);
  });

  it("that a crash cut short goes on from what the network has, not from what was saved", async () => {
    const at = await account();
    const saved: Json[] = [];
    const post = of("reel");
    await facebook.prepare(post, at.context, null, async (publishKey) => {
      saved.push(publishKey);
    });
    // The answer was never seen: only the first checkpoint is left.
    expect(saved).toHaveLength(1);
    expect(await prepareAll(post, at.context, saved)).toMatchObject([{ is: "prepared" }]);
    expect(uploads(at)).toBe(1);
  });

  it("that is put off is not asked about before the wait is over", async () => {
    const at = await account();
    const busy = { do: "status", status: 429, headers: { "retry-after": "600" }, body: "" };
    await faultCall(simulators, at, "video-upload", busy);
    const answer = await facebook.prepare(of("reel"), at.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable", notBefore: expect.any(Number) });
    expect(at.calls.at(-1)?.url).toContain("/video-upload/");
  });

  it.each([
    ["OffsetInvalidError", "resume"],
    ["PartialRequestError", "resume"],
    ["ProcessingFailedError", "again"],
    ["SomethingNew", "resume"],
  ])("that answers %s is to %s", async (type, what) => {
    const at = await account();
    const body = { debug_info: { retriable: false, type, message: "m" } };
    await faultCall(simulators, at, "video-upload", { do: "status", status: 400, body });
    const answers = await prepareAll(of("reel"), at.context);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(at.calls.filter(({ url }) => url.endsWith("/video_reels"))).toHaveLength(what === "again" ? 2 : 1);
  });

  it.each([
    ["is not known any more", { do: "status", status: 400, body: graphError(100, 33) }],
    ["has expired", { do: "status", status: 200, body: { id: "1", status: { video_status: "expired" } } }],
    ["failed", { do: "status", status: 200, body: { id: "1", status: { video_status: "upload_failed" } } }],
  ])("begins anew when the video %s", async (_, what) => {
    const at = await account();
    await faultCall(simulators, at, "video-upload", { do: "reset_before" });
    await faultCall(simulators, at, "node", what);
    const answers = await prepareAll(of("reel"), at.context);
    expect(answers).toMatchObject([{ is: "retryable" }, { is: "prepared" }]);
    expect(at.calls.filter(({ url }) => url.endsWith("/video_reels"))).toHaveLength(2);
  });

  it("of a file that can only be had whole reads past what has arrived", async () => {
    const at = await account();
    const whole = upright();
    const broken = breaking(whole, 100_000);
    const open: MediaFile["open"] = (range) =>
      range === undefined ? broken.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
    const post = of("reel", { ...broken, open });
    const { entry } = await publish(simulators, post, at);
    expect(entry.media).toMatchObject([await sumOf(whole)]);
  });

  it("of a file that is gone says so", async () => {
    const { context } = await account();
    const open = () => Promise.reject(new MediaUnavailable("file 1 is gone", false));
    await expect(prepareAll(of("reel", { ...upright(), open }), context)).rejects.toThrow("file 1 is gone");
  });

  it("waits for a story until all of it has been taken", async () => {
    const at = await account();
    const body = {
      id: "1",
      status: { video_status: "uploading", uploading_phase: { status: "in_progress", bytes_transfered: 5 } },
    };
    await faultCall(simulators, at, "node", { do: "status", status: 200, body });
    const answers = await prepareAll(of("story"), at.context);
    expect(answers).toMatchObject([{ is: "retryable", retryAt: expect.any(Number) }, { is: "prepared" }]);
    expect(uploads(at)).toBe(1);
  });
});

describe("the parts of a plain video", () => {
  const film = (media = mp4(LARGE)) => publication("film", { media: [media] });
  const sent = (saved: Json[]) => saved.map((publishKey) => (publishKey as { sent: number }).sent);

  it("are checkpoints: the upload goes on after the last that arrived", async () => {
    const at = await account();
    const saved: Json[] = [];
    const video = mp4(LARGE);
    await faultCall(simulators, at, "videos.transfer", { do: "reset_before", skip: 1 });
    const answers = await prepareAll(film(video), at.context, saved);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(sent(saved)).toEqual([0, PART, 2 * PART, LARGE]);
    const { entry } = await publish(simulators, film(video), at);
    expect(entry.media).toMatchObject([await sumOf(video)]);
  });

  it("that arrived without an answer are not sent twice", async () => {
    const at = await account();
    const saved: Json[] = [];
    const video = mp4(LARGE);
    await faultCall(simulators, at, "videos.transfer", { do: "reset_after_accept", skip: 1 });
    const answers = await prepareAll(film(video), at.context, saved);
    expect(answers).toMatchObject([{ is: "retryable" }, { is: "prepared" }]);
    const last = answers.at(-1);
    const publishKey = last?.is === "prepared" ? last.publishKey : null;
    await waitUntilProcessed(await facebook.publish(film(video), publishKey, at.context), at.context);
    expect((await posts(at))[0]?.media).toMatchObject([await sumOf(video)]);
  });

  it("after a crash at each checkpoint make the same video", async () => {
    const at = await account();
    const video = mp4(LARGE);
    const saved: Json[] = [];
    await prepareAll(film(video), at.context, saved);
    expect(saved).toHaveLength(4);
    for (const publishKey of saved) {
      const again = await prepareAll(film(video), at.context, [publishKey]);
      expect(again).toMatchObject([{ is: "prepared" }]);
    }
    expect(at.calls.filter(({ url, body }) => url.endsWith("/videos") && body?.includes("start"))).toHaveLength(0);
  });

  it("begin anew when the network does not know the session any more", async () => {
    const at = await account();
    const saved: Json[] = [];
    await faultCall(simulators, at, "videos.transfer", { do: "reset_before", skip: 1 });
    const forgotten = { do: "status", status: 400, body: graphError(100) };
    await faultCall(simulators, at, "videos.transfer", forgotten);
    expect(await prepareAll(film(), at.context, saved)).toMatchObject([
      { is: "retryable" },
      { is: "retryable" },
      { is: "prepared" },
    ]);
    expect(sent(saved)).toEqual([0, PART, undefined, 0, PART, 2 * PART, LARGE]);
    // A session of this very moment is not forgotten: it is the file that is refused.
    await faultCall(simulators, at, "videos.transfer", forgotten);
    expect(await prepareAll(film(), at.context)).toMatchObject([
      { is: "rejected", error: "media_refused", detail: expect.stringContaining("file 1 (med_") },
    ]);
  });

  it("end when the network goes on asking for the same one", async () => {
    const at = await account();
    const body = { start_offset: "0", end_offset: "1000" };
    await faultCall(simulators, at, "videos.transfer", { do: "status", status: 200, body, count: 1_000 });
    const answer = await facebook.prepare(film(mp4(2_000)), at.context, null, async () => {});
    expect(answer).toEqual({ is: "retryable", error: "network_unavailable", detail: expect.any(String) });
  });

  it("take a try where nothing arrives, and none where the network is only waiting", async () => {
    const at = await account();
    await faultCall(simulators, at, "videos.start", { do: "status", status: 400, body: graphError(613) });
    expect(await facebook.prepare(film(), at.context, null, async () => {})).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await faultCall(simulators, at, "videos.transfer", { do: "status", status: 500 });
    const answer = await facebook.prepare(film(), at.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable" });
    expect(answer).not.toHaveProperty("retryAt");
  });
});
