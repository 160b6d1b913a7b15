// The call that publishes a video on a Facebook Page, whatever becomes of its answer.
import { describe, expect, it } from "vitest";
import { facebook } from "../../src/networks/facebook/index.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { account, graphError, onCall, posts, ready, settled } from "./facebook-page.ts";
import { KINDS, of } from "./facebook-videos.ts";
import { mp4 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });
const EDGE = { reel: "video_reels", story: "video_stories", video: "videos" };

describe("the call that publishes a video", () => {
  it.each(KINDS)("whose answer was lost after it was taken is found by the video: %s", async (kind) => {
    const at = await account();
    const post = of(kind);
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, `${EDGE[kind]}.finish`, { do: "reset_after_accept" });
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    // The network says nothing of it while it is working.
    expect(await facebook.reconcile?.(publishKey, at.context)).toEqual({ is: "not_published" });
    const [entry] = await posts(at);
    const found = await facebook.reconcile?.(publishKey, at.context);
    expect(found).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    // Sent again all the same, it is the same post.
    await settled(await facebook.publish(post, publishKey, at.context), at.context);
    expect(await posts(at)).toHaveLength(1);
  });

  it.each(KINDS)("whose answer was lost before it was taken is made again, with the same video: %s", async (kind) => {
    const at = await account();
    const post = of(kind);
    const publishKey = await ready(post, at.context);
    await onCall(simulators, at, `${EDGE[kind]}.finish`, { do: "reset_before" });
    expect(await facebook.publish(post, publishKey, at.context)).toMatchObject({ is: "unknown" });
    for (let asked = 0; asked < 3; asked++)
      expect(await facebook.reconcile?.(publishKey, at.context)).toEqual({ is: "not_published" });
    expect(await settled(await facebook.publish(post, publishKey, at.context), at.context)).toMatchObject({
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
      expect(await facebook.reconcile?.(sent.publishKey, at.context)).toMatchObject(outcome);
    }
    expect(await settled(sent, at.context)).toMatchObject({ is: "live" });
  });

  it.each([
    [{ video_status: "expired" }, { is: "void" }, { is: "void" }],
    [
      { video_status: "error", processing_phase: { status: "error", error: { message: "Too short." } } },
      { is: "rejected", error: "media_refused", networkMessage: "Too short." },
      { is: "processing" },
    ],
    // The guide's own example: an error beside a phase that has not begun.
    [
      { video_status: "processing", processing_phase: { status: "not_started", error: { message: "Too low." } } },
      { is: "rejected", networkMessage: "Too low." },
      { is: "processing" },
    ],
    // The specifications' spelling, with nothing else that tells the failure.
    [
      {
        video_status: "processing",
        processing_phase: { status: "in_progress", errors: [{ code: 1, message: "Odd." }] },
      },
      { is: "rejected", networkMessage: "Odd." },
      { is: "processing" },
    ],
    [
      { video_status: "processing", publishing_phase: { status: "in_progress", errors: [{ code: 7 }] } },
      { is: "rejected", networkMessage: "error 7" },
      { is: "processing" },
    ],
    [
      { video_status: "processing", processing_phase: { status: "in_progress", errors: [] } },
      { is: "processing" },
      { is: "not_published" },
    ],
    [
      { video_status: "uploading", uploading_phase: { status: "error", errors: [{ code: 2, message: "Cut." }] } },
      { is: "void", networkMessage: "Cut." },
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
    const publishKey = { step: "video", kind: "reel", video_id: "123", session_id: null };
    for (const [finished, outcome] of [
      [Date.now(), seen],
      [null, lost],
    ] as const) {
      await onCall(simulators, at, "node", { do: "status", status: 200, body: { id: "123", status } });
      expect(await facebook.reconcile?.({ ...publishKey, finished }, at.context)).toMatchObject(outcome);
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
      const publishKey = { step: "video", kind, video_id: "123", session_id: null, finished: null };
      expect(await facebook.reconcile?.(publishKey, at.context)).toMatchObject(outcome);
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
      const publishKey = { step: "video", kind, video_id: "123", session_id: "1", finished: 1 };
      expect(await facebook.reconcile?.(publishKey, at.context)).toEqual({
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
