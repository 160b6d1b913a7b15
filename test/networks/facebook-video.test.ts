// Videos on Facebook Pages: reels, stories and plain videos.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { account, posts, prepareAll, publish, ready, waitUntilProcessed } from "./facebook-page.ts";
import { accountIn, BYTES, inBothSpellings, KINDS, LARGE, of, upright, wide } from "./facebook-videos.ts";
import { file, mp4, publication, sumOf } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });

describe("a video", () => {
  it("goes out as a reel with text and title", async () => {
    const video = upright();
    const post = publication("a reel\n#crier", { media: [video], postType: "reel", options: { title: "Title" } });
    const { entry, live, publishKey } = await publish(simulators, post, await account());
    expect(entry).toMatchObject({
      text: "a reel\n#crier",
      media: [await sumOf(video)],
      detail: { kind: "reel", title: "Title" },
    });
    const { video_id } = publishKey as { video_id: string };
    expect(live.url).toBe(`https://www.facebook.com/reel/${video_id}/`);
    expect(entry.token).toBe(video_id);
  });

  it("goes out as a story, without words", async () => {
    const video = wide();
    const { entry, live } = await publish(simulators, of("story", video), await account());
    expect(entry).toMatchObject({ text: "", media: [await sumOf(video)], detail: { story: true } });
    expect(live.url).toContain("/stories/");
  });

  it("goes out as a plain video in the feed, in the parts that the network asks for", async () => {
    const at = await account();
    const video = mp4(LARGE);
    const post = publication("a film", { media: [video], options: { title: "Film" } });
    const { entry, live } = await publish(simulators, post, at);
    expect(entry).toMatchObject({
      text: "a film",
      media: [await sumOf(video)],
      detail: { kind: "video", title: "Film" },
    });
    expect(live.url).toContain("/videos/");
    // Start, three parts, finish.
    expect(at.calls.filter(({ url }) => url.endsWith("/videos"))).toHaveLength(5);
  });

  it.each<[string, Partial<MediaFile>, Json, string]>([
    ["9:16 of half a minute", {}, {}, "reel"],
    ["wide", { width: 1920, height: 1080 }, {}, "video"],
    ["upright but too long", { seconds: 91 }, {}, "video"],
    ["upright but too small", { width: 360, height: 640 }, {}, "video"],
    ["of unknown length", { seconds: null }, {}, "video"],
    ["of unknown size", { width: null, height: null }, {}, "video"],
    ["upright, but wanted in the feed", {}, { video_as: "feed" }, "video"],
    [
      "of unknown size, but wanted as a reel",
      { width: null, height: null, seconds: null },
      { video_as: "reel" },
      "reel",
    ],
  ])("in the feed that is %s goes out as it should", async (_, facts, options, kind) => {
    const post = publication("x", { media: [upright(facts)], options });
    const { entry } = await publish(simulators, post, await account());
    expect(entry.detail.kind).toBe(kind);
  });

  it("that does not fit a reel is refused as one before anything is uploaded", async () => {
    const at = await account();
    const post = publication("x", { media: [wide()], options: { video_as: "reel" } });
    const made = at.calls.length;
    const answers = await prepareAll(post, at.context);
    expect(answers).toMatchObject([
      { is: "rejected", error: "media_refused", detail: expect.stringContaining("times as wide") },
    ]);
    expect(at.calls).toHaveLength(made);
  });

  it("that the network keeps as the draft of a reel is said to be one", async () => {
    const at = await account();
    // The track's header of an MP4 says how large the picture is.
    const bytes = new Uint8Array(BYTES);
    bytes.set(new TextEncoder().encode("\0\0\0 ftypisom"));
    bytes.set(new TextEncoder().encode("tkhd"), 100);
    new DataView(bytes.buffer).setUint32(180, 1080 << 16);
    new DataView(bytes.buffer).setUint32(184, 1920 << 16);
    const post = publication("x", { media: [file(bytes, { contentType: "video/mp4" })] });
    const sent = await facebook.publish(post, await ready(post, at.context), at.context);
    expect(await waitUntilProcessed(sent, at.context)).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringContaining("video_as"),
    });
    expect(await posts(at)).toEqual([]);
  });

  it.each(inBothSpellings(KINDS))(
    "that is none is refused once the network has looked at it: %s, %s",
    async (kind, spelling) => {
      const at = await accountIn(spelling);
      const post = of(kind, file(new Uint8Array(5_000).fill(1), { contentType: "video/mp4" }));
      const prepared = (await prepareAll(post, at.context)).at(-1);
      // A story's status is read before it is published, that of the others after.
      const answer =
        prepared?.is === "prepared" ? await facebook.publish(post, prepared.publishKey, at.context) : prepared;
      expect(answer?.is).toBe(kind === "story" ? "rejected" : "processing");
      const outcome = answer?.is === "processing" ? await waitUntilProcessed(answer, at.context) : answer;
      expect(outcome).toMatchObject({
        is: "rejected",
        error: "media_refused",
        networkMessage: "Video could not be processed.",
      });
      expect(await posts(at)).toEqual([]);
    },
  );
});

describe("a published video", () => {
  it.each(["reel", "video"] as const)("is there, then gone, and has metrics: %s", async (kind) => {
    const at = await account();
    await publish(simulators, publication("an older post"), at);
    const { live, publishKey } = await publish(simulators, of(kind), at);
    const verify = () => facebook.verify({ id: live.id, publishKey }, at.context);
    expect(await verify()).toEqual({ is: "there", url: live.url });
    const metrics = { views: expect.any(Number), likes: expect.any(Number) };
    expect(await facebook.readMetrics?.({ id: live.id, publishKey }, at.context)).toMatchObject({
      is: "read",
      metrics,
    });
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await verify()).toEqual({ is: "gone", confirmAfterMs: 86_400_000 });
  });
});
