// Videos on Facebook Pages: reels, stories and plain videos.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { account, posts, prepareAll, publish, ready, waitUntilProcessed } from "./facebook-page.ts";
import {
  BYTES,
  buildVideoPost,
  createPageWithSpelling,
  inBothSpellings,
  KINDS,
  LARGE_BYTES,
  upright,
  wide,
} from "./facebook-videos.ts";
import { computeSum, file, mp4, publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators({ chunksDivisor: CHUNKS_DIVISOR });

describe("a Facebook video", () => {
  it("is published as a reel with text and title", async () => {
    const video = upright();
    const post = publication("a reel\n#crier", { media: [video], postType: "reel", options: { title: "Title" } });
    const { entry, live, publishKey } = await publish(simulators, post, await account());
    expect(entry).toMatchObject({
      text: "a reel\n#crier",
      media: [await computeSum(video)],
      detail: { kind: "reel", title: "Title" },
    });
    const { video_id } = publishKey as { video_id: string };
    expect(live.url).toBe(`https://www.facebook.com/reel/${video_id}/`);
    expect(entry.token).toBe(video_id);
  });

  it("is published as a story without text", async () => {
    const video = wide();
    const { entry, live } = await publish(simulators, buildVideoPost("story", video), await account());
    expect(entry).toMatchObject({ text: "", media: [await computeSum(video)], detail: { story: true } });
    expect(live.url).toContain("/stories/");
  });

  it("is published as a plain video in the feed, in the chunks that the network asks for", async () => {
    const testPage = await account();
    const video = mp4(LARGE_BYTES);
    const post = publication("a film", { media: [video], options: { title: "Film" } });
    const { entry, live } = await publish(simulators, post, testPage);
    expect(entry).toMatchObject({
      text: "a film",
      media: [await computeSum(video)],
      detail: { kind: "video", title: "Film" },
    });
    expect(live.url).toContain("/videos/");
    // The start, three chunks and the finish.
    expect(testPage.calls.filter(({ url }) => url.endsWith("/videos"))).toHaveLength(5);
  });

  it.each<[string, Partial<MediaFile>, Json, string]>([
    ["9:16 and half a minute long", {}, {}, "reel"],
    ["wide", { width: 1920, height: 1080 }, {}, "video"],
    ["upright but too long", { seconds: 91 }, {}, "video"],
    ["upright but too small", { width: 360, height: 640 }, {}, "video"],
    ["of unknown length", { seconds: null }, {}, "video"],
    ["of unknown size", { width: null, height: null }, {}, "video"],
    ["upright but requested for the feed", {}, { video_as: "feed" }, "video"],
    [
      "of unknown size but requested as a reel",
      { width: null, height: null, seconds: null },
      { video_as: "reel" },
      "reel",
    ],
  ])("is published in the feed as the right kind if it is %s", async (_, facts, options, kind) => {
    const post = publication("x", { media: [upright(facts)], options });
    const { entry } = await publish(simulators, post, await account());
    expect(entry.detail.kind).toBe(kind);
  });

  it("is rejected before the upload if it is requested as a reel and does not fit one", async () => {
    const testPage = await account();
    const post = publication("x", { media: [wide()], options: { video_as: "reel" } });
    const callsBefore = testPage.calls.length;
    const answers = await prepareAll(post, testPage.context);
    expect(answers).toMatchObject([
      { is: "rejected", error: "media_refused", detail: expect.stringContaining("times as wide") },
    ]);
    expect(testPage.calls).toHaveLength(callsBefore);
  });

  it("is rejected with an explanation if the network keeps it as the draft of a reel", async () => {
    const testPage = await account();
    // The track header of an MP4 contains the size of the picture.
    const bytes = new Uint8Array(BYTES);
    bytes.set(new TextEncoder().encode("\0\0\0 ftypisom"));
    bytes.set(new TextEncoder().encode("tkhd"), 100);
    new DataView(bytes.buffer).setUint32(180, 1080 << 16);
    new DataView(bytes.buffer).setUint32(184, 1920 << 16);
    const post = publication("x", { media: [file(bytes, { contentType: "video/mp4" })] });
    const outcome = await facebook.publish(post, await ready(post, testPage.context), testPage.context);
    expect(await waitUntilProcessed(outcome, testPage.context)).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringContaining("video_as"),
    });
    expect(await posts(testPage)).toEqual([]);
  });

  it.each(inBothSpellings(KINDS))(
    "is rejected after the network has processed it if the file is no video: %s, %s",
    async (kind, spelling) => {
      const testPage = await createPageWithSpelling(spelling);
      const post = buildVideoPost(kind, file(new Uint8Array(5_000).fill(1), { contentType: "video/mp4" }));
      const prepared = (await prepareAll(post, testPage.context)).at(-1);
      // The status of a story is read before it is published, and that of the other kinds afterwards.
      const answer =
        prepared?.is === "prepared" ? await facebook.publish(post, prepared.publishKey, testPage.context) : prepared;
      expect(answer?.is).toBe(kind === "story" ? "rejected" : "processing");
      const outcome = answer?.is === "processing" ? await waitUntilProcessed(answer, testPage.context) : answer;
      expect(outcome).toMatchObject({
        is: "rejected",
        error: "media_refused",
        networkMessage: "Video could not be processed.",
      });
      expect(await posts(testPage)).toEqual([]);
    },
  );
});

describe("a published Facebook video", () => {
  it.each(["reel", "video"] as const)("is found, then reported as gone, and has metrics: %s", async (kind) => {
    const testPage = await account();
    await publish(simulators, publication("an older post"), testPage);
    const { live, publishKey } = await publish(simulators, buildVideoPost(kind), testPage);
    const recheck = () => facebook.recheck({ id: live.id, publishKey }, testPage.context);
    expect(await recheck()).toEqual({ is: "there", url: live.url });
    const metrics = { views: expect.any(Number), likes: expect.any(Number) };
    expect(await facebook.readMetrics?.({ id: live.id, publishKey }, testPage.context)).toMatchObject({
      is: "read",
      metrics,
    });
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await recheck()).toEqual({ is: "gone", confirmAfterMs: 86_400_000 });
  });
});
