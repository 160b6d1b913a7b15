// Videos on Facebook Pages: reels, stories and plain videos, uploaded under an id that can be asked for.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { type MediaFile, MediaUnavailable, type Publication } from "../../src/networks/network.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import {
  account,
  graphError,
  onCall,
  posts,
  prepareAll,
  publish,
  ready,
  settled,
  type TestPage,
} from "./facebook-page.ts";
import { file, mp4, publication, sumOf } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });

/** A Page whose next video has its status in this spelling: the simulator's alternate. */
const SPELLINGS = ["guide", "specification"] as const;
async function accountIn(spelling: (typeof SPELLINGS)[number]): Promise<TestPage> {
  const at = await account();
  const { page_token } = at.context.credential as { page_token: string };
  const headers = { authorization: `Bearer ${page_token}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ upload_phase: "start" }) };
  if (spelling === "specification")
    await at.context.io.fetch(`https://graph.facebook.com/v25.0/${at.id}/video_reels`, init);
  at.calls.length = 0;
  return at;
}
const inBothSpellings = <K>(kinds: readonly K[]) =>
  kinds.flatMap((kind) => SPELLINGS.map((spelling) => [kind, spelling] as const));
const uploads = ({ calls }: TestPage) => calls.filter(({ url }) => url.includes("/video-upload/")).length;

const BYTES = 300_000;
/** A video that is known to fit a reel. */
const upright = (more: Partial<MediaFile> = {}) => mp4(BYTES, { width: 1080, height: 1920, seconds: 30, ...more });
const wide = (more: Partial<MediaFile> = {}) => mp4(BYTES, { width: 1920, height: 1080, seconds: 30, ...more });
/** Three parts of the simulator. */
const PART = (4 * 1024 * 1024) / PARTS_DIVISOR;
const LARGE = 2 * PART + 10_000;

type Kind = "reel" | "story" | "video";
const KINDS: Kind[] = ["reel", "story", "video"];
function of(kind: Kind, media: MediaFile = kind === "reel" ? upright() : wide()): Publication<Json> {
  if (kind === "story") return publication("", { media: [media], postType: "story" });
  if (kind === "reel") return publication("words & Wörter", { media: [media], postType: "reel" });
  return publication("words & Wörter", { media: [media], options: { video_as: "feed" } });
}
const EDGE = { reel: "video_reels", story: "video_stories", video: "videos" };

describe("a video", () => {
  it("goes out as a reel with text and title", async () => {
    const video = upright();
    const post = publication("a reel\n#crier", { media: [video], postType: "reel", options: { title: "Title" } });
    const { entry, live, handle: publishHandle } = await publish(simulators, post, await account());
    expect(entry).toMatchObject({
      text: "a reel\n#crier",
      media: [await sumOf(video)],
      detail: { kind: "reel", title: "Title" },
    });
    const { video_id } = publishHandle as { video_id: string };
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
    expect(await settled(sent, at.context)).toMatchObject({
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
      const answer = prepared?.is === "prepared" ? await facebook.publish(post, prepared.handle, at.context) : prepared;
      expect(answer?.is).toBe(kind === "story" ? "rejected" : "processing");
      const outcome = answer?.is === "processing" ? await settled(answer, at.context) : answer;
      expect(outcome).toMatchObject({
        is: "rejected",
        error: "media_refused",
        detail: "Video could not be processed.",
      });
      expect(await posts(at)).toEqual([]);
    },
  );
});

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
    const sent = saved.map((publishHandle) => (publishHandle as { sent: number }).sent);
    expect(sent[0]).toBe(0);
    expect(sent[1]).toBeGreaterThan(0);
    expect(sent[1]).toBeLessThan(BYTES);
    const last = answers.at(-1);
    const publishHandle = last?.is === "prepared" ? last.handle : null;
    await settled(await facebook.publish(of(kind, whole), publishHandle, at.context), at.context);
    expect((await posts(at))[0]?.media).toMatchObject([await sumOf(whole)]);
  });

  it("that arrived without an answer is not made again", async () => {
    const at = await account();
    await onCall(simulators, at, "video-upload", { do: "reset_after_accept" });
    expect(await prepareAll(of("reel"), at.context)).toMatchObject([{ is: "prepared" }]);
    expect(uploads(at)).toBe(1);
  });

  it("that a crash cut short goes on from what the network has, not from what was saved", async () => {
    const at = await account();
    const saved: Json[] = [];
    const post = of("reel");
    await facebook.prepare(post, at.context, null, async (publishHandle) => {
      saved.push(publishHandle);
    });
    // The answer was never seen: only the first checkpoint is left.
    expect(saved).toHaveLength(1);
    expect(await prepareAll(post, at.context, saved)).toMatchObject([{ is: "prepared" }]);
    expect(uploads(at)).toBe(1);
  });

  it.each([
    ["OffsetInvalidError", "resume"],
    ["PartialRequestError", "resume"],
    ["ProcessingFailedError", "again"],
    ["SomethingNew", "resume"],
  ])("that answers %s is to %s", async (type, what) => {
    const at = await account();
    const body = { debug_info: { retriable: false, type, message: "m" } };
    await onCall(simulators, at, "video-upload", { do: "status", status: 400, body });
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
    await onCall(simulators, at, "video-upload", { do: "reset_before" });
    await onCall(simulators, at, "node", what);
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
    await onCall(simulators, at, "node", { do: "status", status: 200, body });
    const answers = await prepareAll(of("story"), at.context);
    expect(answers).toMatchObject([{ is: "retryable", retryAt: expect.any(Number) }, { is: "prepared" }]);
    expect(uploads(at)).toBe(1);
  });
});

describe("the parts of a plain video", () => {
  const film = (media = mp4(LARGE)) => publication("film", { media: [media] });
  const sent = (saved: Json[]) => saved.map((publishHandle) => (publishHandle as { sent: number }).sent);

  it("are checkpoints: the upload goes on after the last that arrived", async () => {
    const at = await account();
    const saved: Json[] = [];
    const video = mp4(LARGE);
    await onCall(simulators, at, "videos.transfer", { do: "reset_before", skip: 1 });
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
    await onCall(simulators, at, "videos.transfer", { do: "reset_after_accept", skip: 1 });
    const answers = await prepareAll(film(video), at.context, saved);
    expect(answers).toMatchObject([{ is: "retryable" }, { is: "prepared" }]);
    const last = answers.at(-1);
    const publishHandle = last?.is === "prepared" ? last.handle : null;
    await settled(await facebook.publish(film(video), publishHandle, at.context), at.context);
    expect((await posts(at))[0]?.media).toMatchObject([await sumOf(video)]);
  });

  it("after a crash at each checkpoint make the same video", async () => {
    const at = await account();
    const video = mp4(LARGE);
    const saved: Json[] = [];
    await prepareAll(film(video), at.context, saved);
    expect(saved).toHaveLength(4);
    for (const publishHandle of saved) {
      const again = await prepareAll(film(video), at.context, [publishHandle]);
      expect(again).toMatchObject([{ is: "prepared" }]);
    }
    expect(at.calls.filter(({ url, body }) => url.endsWith("/videos") && body?.includes("start"))).toHaveLength(0);
  });

  it("begin anew when the network does not know the session any more", async () => {
    const at = await account();
    const saved: Json[] = [];
    await onCall(simulators, at, "videos.transfer", { do: "reset_before", skip: 1 });
    const forgotten = { do: "status", status: 400, body: graphError(100) };
    await onCall(simulators, at, "videos.transfer", forgotten);
    expect(await prepareAll(film(), at.context, saved)).toMatchObject([
      { is: "retryable" },
      { is: "retryable" },
      { is: "prepared" },
    ]);
    expect(sent(saved)).toEqual([0, PART, undefined, 0, PART, 2 * PART, LARGE]);
    // A session of this very moment is not forgotten: it is the file that is refused.
    await onCall(simulators, at, "videos.transfer", forgotten);
    expect(await prepareAll(film(), at.context)).toMatchObject([
      { is: "rejected", error: "media_refused", detail: expect.stringContaining("file 1 (med_") },
    ]);
  });

  it("end when the network goes on asking for the same one", async () => {
    const at = await account();
    const body = { start_offset: "0", end_offset: "1000" };
    await onCall(simulators, at, "videos.transfer", { do: "status", status: 200, body, count: 1_000 });
    const answer = await facebook.prepare(film(mp4(2_000)), at.context, null, async () => {});
    expect(answer).toEqual({ is: "retryable", error: "network_unavailable", detail: expect.any(String) });
  });

  it("take a try where nothing arrives, and none where the network is only waiting", async () => {
    const at = await account();
    await onCall(simulators, at, "videos.start", { do: "status", status: 400, body: graphError(613) });
    expect(await facebook.prepare(film(), at.context, null, async () => {})).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await onCall(simulators, at, "videos.transfer", { do: "status", status: 500 });
    const answer = await facebook.prepare(film(), at.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable" });
    expect(answer).not.toHaveProperty("retryAt");
  });
});

describe("the call that publishes a video", () => {
  it.each(KINDS)("whose answer was lost after it was taken is found by the video: %s", async (kind) => {
    const at = await account();
    const post = of(kind);
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, `${EDGE[kind]}.finish`, { do: "reset_after_accept" });
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    // The network says nothing of it while it is working.
    expect(await facebook.reconcile?.(publishHandle, at.context)).toEqual({ is: "not_published" });
    const [entry] = await posts(at);
    const found = await facebook.reconcile?.(publishHandle, at.context);
    expect(found).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    // Sent again all the same, it is the same post.
    await settled(await facebook.publish(post, publishHandle, at.context), at.context);
    expect(await posts(at)).toHaveLength(1);
  });

  it.each(KINDS)("whose answer was lost before it was taken is made again, with the same video: %s", async (kind) => {
    const at = await account();
    const post = of(kind);
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, `${EDGE[kind]}.finish`, { do: "reset_before" });
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    for (let asked = 0; asked < 3; asked++)
      expect(await facebook.reconcile?.(publishHandle, at.context)).toEqual({ is: "not_published" });
    expect(await settled(await facebook.publish(post, publishHandle, at.context), at.context)).toMatchObject({
      is: "live",
    });
    expect(await posts(at)).toHaveLength(1);
  });

  it("is waited for with the same video, and a quiet network is no verdict", async () => {
    const at = await account();
    const post = of("reel");
    const sent = await facebook.publish(post, await ready(post, at.context), at.context);
    if (sent.is !== "processing") throw new Error(JSON.stringify(sent));
    for (const [what, outcome] of [
      [{ do: "status", status: 500 }, { is: "retryable" }],
      [{ do: "reset_before" }, { is: "retryable" }],
      [{ do: "status", status: 401, body: graphError(190) }, { is: "unauthorized" }],
      [{ do: "status", status: 403, body: graphError(10) }, { is: "unknown" }],
      [{ do: "status", status: 400, body: graphError(100, 33) }, { is: "unknown" }],
    ] as const) {
      await onCall(simulators, at, "node", what);
      expect(await facebook.reconcile?.(sent.handle, at.context)).toMatchObject(outcome);
    }
    expect(await settled(sent, at.context)).toMatchObject({ is: "live" });
  });

  it.each([
    [{ video_status: "expired" }, { is: "void" }, { is: "void" }],
    [
      { video_status: "error", processing_phase: { status: "error", error: { message: "Too short." } } },
      { is: "rejected", error: "media_refused", detail: "Too short." },
      { is: "processing" },
    ],
    // The guide's own example: an error beside a phase that has not begun.
    [
      { video_status: "processing", processing_phase: { status: "not_started", error: { message: "Too low." } } },
      { is: "rejected", detail: "Too low." },
      { is: "processing" },
    ],
    // The specifications' spelling, with nothing else that tells the failure.
    [
      {
        video_status: "processing",
        processing_phase: { status: "in_progress", errors: [{ code: 1, message: "Odd." }] },
      },
      { is: "rejected", detail: "Odd." },
      { is: "processing" },
    ],
    [
      { video_status: "processing", publishing_phase: { status: "in_progress", errors: [{ code: 7 }] } },
      { is: "rejected", detail: "error 7" },
      { is: "processing" },
    ],
    [
      { video_status: "processing", processing_phase: { status: "in_progress", errors: [] } },
      { is: "processing" },
      { is: "not_published" },
    ],
    [
      { video_status: "uploading", uploading_phase: { status: "error", errors: [{ code: 2, message: "Cut." }] } },
      { is: "void", detail: "Cut." },
      { is: "void" },
    ],
    [
      { publishing_phase: { status: "completed", publish_status: "draft" } },
      { is: "rejected" },
      { is: "not_published" },
    ],
    [{ publishing_phase: { status: "in_progress" } }, { is: "processing" }, { is: "processing" }],
    [{ publishing_phase: { status: "completed", publish_status: "published" } }, { is: "live" }, { is: "live" }],
    [{ publishing_phase: { status: "not_started" } }, { is: "processing" }, { is: "not_published" }],
  ])("ends as its status %j tells, whether its answer was seen or lost", async (status, seen, lost) => {
    const at = await account();
    const publishHandle = { step: "video", kind: "reel", video_id: "123", session_id: null };
    for (const [finished, outcome] of [
      [Date.now(), seen],
      [null, lost],
    ] as const) {
      await onCall(simulators, at, "node", { do: "status", status: 200, body: { id: "123", status } });
      expect(await facebook.reconcile?.({ ...publishHandle, finished }, at.context)).toMatchObject(outcome);
    }
  });

  it("is a draft that was not asked for only as a plain video", async () => {
    const at = await account();
    const status = { publishing_phase: { status: "completed", publish_status: "draft" } };
    for (const [kind, outcome] of [
      ["video", { is: "processing" }],
      ["reel", { is: "not_published" }],
    ] as const) {
      await onCall(simulators, at, "node", { do: "status", status: 200, body: { id: "123", status } });
      const publishHandle = { step: "video", kind, video_id: "123", session_id: null, finished: null };
      expect(await facebook.reconcile?.(publishHandle, at.context)).toMatchObject(outcome);
    }
  });

  it("has an address and an id of its own where the network gives none", async () => {
    const at = await account();
    const status = { publishing_phase: { status: "complete", publish_status: "published" } };
    for (const [kind, url] of [
      ["reel", "https://www.facebook.com/reel/123"],
      ["video", `https://www.facebook.com/${at.id}_123`],
    ] as const) {
      await onCall(simulators, at, "node", { do: "status", status: 200, body: { id: "123", status } });
      const publishHandle = { step: "video", kind, video_id: "123", session_id: "1", finished: 1 };
      expect(await facebook.reconcile?.(publishHandle, at.context)).toEqual({
        is: "live",
        id: `${at.id}_123`,
        url,
        urlState: "none",
      });
    }
  });

  it("is refused when the Page's reels of the day are used up", async () => {
    const at = await account();
    for (let i = 0; i < 31; i++) {
      const post = of("reel", mp4(100, { width: 1080, height: 1920, seconds: 5 }));
      const sent = await facebook.publish(post, await ready(post, at.context), at.context);
      expect(sent).toMatchObject(i < 30 ? { is: "processing" } : { is: "retryable", error: "network_quota" });
    }
    expect(await posts(at)).toHaveLength(30);
  });
});

describe("a published video", () => {
  it.each(["reel", "video"] as const)("is there, then gone, and has metrics: %s", async (kind) => {
    const at = await account();
    const { live, handle: publishHandle } = await publish(simulators, of(kind), at);
    const verify = () => facebook.verify({ id: live.id, handle: publishHandle }, at.context);
    expect(await verify()).toEqual({ is: "there", url: live.url });
    const metrics = { views: expect.any(Number), likes: expect.any(Number) };
    expect(await facebook.readMetrics?.({ id: live.id, handle: publishHandle }, at.context)).toMatchObject({
      is: "read",
      metrics,
    });
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await verify()).toEqual({ is: "gone" });
  });
});
