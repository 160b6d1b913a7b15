// The call that publishes a video on a Facebook Page, with every fate of its answer.
import { describe, expect, it } from "vitest";
import { facebook } from "../../src/networks/facebook/index.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { account, faultCall, graphError, posts, ready, waitUntilProcessed } from "./facebook-page.ts";
import { buildVideoPost, KINDS } from "./facebook-videos.ts";
import { mp4 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators({ chunksDivisor: CHUNKS_DIVISOR });
const EDGE = { reel: "video_reels", story: "video_stories", video: "videos" };

describe("the call that publishes a video on Facebook", () => {
  it.each(KINDS)("is found by the video if its answer was lost after it was accepted: %s", async (kind) => {
    const page = await account();
    const post = buildVideoPost(kind);
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, `${EDGE[kind]}.finish`, { do: "reset_after_accept" });
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ is: "unknown" });
    // The network reports nothing about the video while it is processing.
    expect(await facebook.reconcile?.(publishKey, page.context)).toEqual({ is: "not_published" });
    const [entry] = await posts(page);
    const outcome = await facebook.reconcile?.(publishKey, page.context);
    expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    // If it is sent again nevertheless, it is the same post.
    await waitUntilProcessed(await facebook.publish(post, publishKey, page.context), page.context);
    expect(await posts(page)).toHaveLength(1);
  });

  it.each(KINDS)("is repeated with the same video if it was lost before it was accepted: %s", async (kind) => {
    const page = await account();
    const post = buildVideoPost(kind);
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, `${EDGE[kind]}.finish`, { do: "reset_before" });
    expect(await facebook.publish(post, publishKey, page.context)).toMatchObject({ is: "unknown" });
    for (let i = 0; i < 3; i++)
      expect(await facebook.reconcile?.(publishKey, page.context)).toEqual({ is: "not_published" });
    expect(
      await waitUntilProcessed(await facebook.publish(post, publishKey, page.context), page.context),
    ).toMatchObject({
      is: "live",
    });
    expect(await posts(page)).toHaveLength(1);
  });

  it("is polled with the same video, and a missing answer decides nothing", async () => {
    const page = await account();
    const post = buildVideoPost("reel");
    const processing = await facebook.publish(post, await ready(post, page.context), page.context);
    if (processing.is !== "processing") throw new Error(JSON.stringify(processing));
    for (const [faultFields, outcome] of [
      [{ do: "status", status: 500 }, { is: "retryable" }],
      [{ do: "reset_before" }, { is: "retryable" }],
      [{ do: "status", status: 401, body: graphError(190) }, { is: "unauthorized" }],
      [{ do: "status", status: 403, body: graphError(10) }, { is: "unknown" }],
      [{ do: "status", status: 400, body: graphError(100, 33) }, { is: "unknown" }],
    ] as const) {
      await faultCall(simulators, page, "node", faultFields);
      expect(await facebook.reconcile?.(processing.publishKey, page.context)).toMatchObject(outcome);
    }
    expect(await waitUntilProcessed(processing, page.context)).toMatchObject({ is: "live" });
  });

  it.each([
    [{ video_status: "expired" }, { is: "void" }, { is: "void" }],
    [
      { video_status: "error", processing_phase: { status: "error", error: { message: "Too short." } } },
      { is: "rejected", error: "media_refused", networkMessage: "Too short." },
      { is: "processing" },
    ],
    // The example of Facebook's guide: an error in a phase that has not started.
    [
      { video_status: "processing", processing_phase: { status: "not_started", error: { message: "Too low." } } },
      { is: "rejected", networkMessage: "Too low." },
      { is: "processing" },
    ],
    // The spelling of the specifications, without any other sign of the failure.
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
  ])(
    "ends as its status %j tells, whether its answer arrived or was lost",
    async (status, outcomeAfterAnswer, outcomeAfterLoss) => {
      const page = await account();
      const publishKey = { step: "video", kind: "reel", video_id: "123", session_id: null };
      for (const [finished, outcome] of [
        [Date.now(), outcomeAfterAnswer],
        [null, outcomeAfterLoss],
      ] as const) {
        await faultCall(simulators, page, "node", { do: "status", status: 200, body: { id: "123", status } });
        expect(await facebook.reconcile?.({ ...publishKey, finished }, page.context)).toMatchObject(outcome);
      }
    },
  );

  it("is waiting as a draft only if it is a plain video", async () => {
    const page = await account();
    const status = { publishing_phase: { status: "completed", publish_status: "draft" } };
    for (const [kind, outcome] of [
      ["video", { is: "processing" }],
      ["reel", { is: "not_published" }],
    ] as const) {
      await faultCall(simulators, page, "node", { do: "status", status: 200, body: { id: "123", status } });
      const publishKey = { step: "video", kind, video_id: "123", session_id: null, finished: null };
      expect(await facebook.reconcile?.(publishKey, page.context)).toMatchObject(outcome);
    }
  });

  it("gets an address and an id of our own if the network names none", async () => {
    const page = await account();
    const status = { publishing_phase: { status: "complete", publish_status: "published" } };
    for (const [kind, url] of [
      ["reel", "https://www.facebook.com/reel/123"],
      ["video", `https://www.facebook.com/${page.id}_123`],
    ] as const) {
      await faultCall(simulators, page, "node", { do: "status", status: 200, body: { id: "123", status } });
      const publishKey = { step: "video", kind, video_id: "123", session_id: "1", finished: 1 };
      expect(await facebook.reconcile?.(publishKey, page.context)).toEqual({
        is: "live",
        id: `${page.id}_123`,
        url,
        urlState: "none",
      });
    }
  });

  it("is retryable when the Page's daily number of reels is used up", async () => {
    const page = await account();
    for (let i = 0; i < 31; i++) {
      const post = buildVideoPost("reel", mp4(100, { width: 1080, height: 1920, seconds: 5 }));
      const outcome = await facebook.publish(post, await ready(post, page.context), page.context);
      expect(outcome).toMatchObject(i < 30 ? { is: "processing" } : { is: "retryable", error: "network_quota" });
    }
    expect(await posts(page)).toHaveLength(30);
  });
});
