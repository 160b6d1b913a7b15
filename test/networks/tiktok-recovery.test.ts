// Reconciling TikTok posts whose answer was lost: there is never a second post.
import { describe, expect, it } from "vitest";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { withSimulators } from "./simulators.ts";
import {
  buildAnswer,
  connectChannel,
  faultCall,
  later,
  photo,
  post,
  publishOnce,
  readPublished,
  reconcile,
  video,
  waitUntilProcessed,
} from "./tiktok/support.ts";

withSimulators({ chunksDivisor: CHUNKS_DIVISOR });

const HOUR_MS = 3_600_000;

describe("reconciling an unfinished TikTok post", () => {
  it.each([
    [{ do: "reset_before" }, "retryable"],
    [buildAnswer(500, "internal_error"), "retryable"],
    [buildAnswer(401, "access_token_invalid"), "unauthorized"],
    // An error of the status call is no rejection of the post.
    [buildAnswer(401, "scope_not_authorized"), "retryable"],
    [buildAnswer(400, "invalid_params"), "retryable"],
    [buildAnswer(429, "rate_limit_exceeded"), "retryable"],
    [buildAnswer(200, "ok", { status: "SEND_TO_USER_INBOX" }), "processing"],
    [buildAnswer(200, "ok", { status: 7 }), "retryable"],
  ])("after the answer %j ends as %s", async (answer, expectedIs) => {
    const { username, context } = await connectChannel();
    const { publishOutcome } = await publishOnce(post("x", [video()]), context);
    if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
    await faultCall(username, "post/publish/status/fetch", answer);
    expect(await reconcile(publishOutcome.publishKey, context)).toMatchObject({ is: expectedIs });
  });

  it("asks often at first, then every five minutes", async () => {
    const { username, context } = await connectChannel();
    const { publishOutcome } = await publishOnce(post("x", [video()]), context);
    if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
    expect(publishOutcome.askAt - Date.now()).toBeLessThanOrEqual(2_000);
    await faultCall(username, "post/publish/status/fetch", {
      ...buildAnswer(200, "ok", { status: "PROCESSING_UPLOAD", uploaded_bytes: 300_000 }),
      count: 1,
    });
    const day = later(context, 20 * HOUR_MS);
    const outcome = await reconcile(publishOutcome.publishKey, day);
    if (outcome.is !== "processing") throw new Error(outcome.is);
    expect(outcome.askAt - day.io.now()).toBeLessThanOrEqual(300_000);
    expect(outcome.askAt - day.io.now()).toBeGreaterThan(290_000);
  });

  it("finds the post by its text if the network no longer knows the publish_id", async () => {
    const ada = await connectChannel();
    const { publishOutcome } = await publishOnce(post("unmistakable", [video()]), ada.context);
    if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
    for (const code of ["invalid_publish_id", "token_not_authorized_for_specified_publish_id"]) {
      await faultCall(ada.username, "post/publish/status/fetch", buildAnswer(400, code));
      const [entry] = await readPublished(ada.username);
      expect(await reconcile(publishOutcome.publishKey, ada.context)).toMatchObject({
        is: "live",
        id: entry?.id,
        url: entry?.url,
      });
    }
  });
});

describe("TikTok photos whose answer was lost", () => {
  it.each([
    { do: "reset_after_accept" },
    { do: "status_after_accept", status: 500, body: "" },
    { do: "status_after_accept", status: 200, body: "<h1>ok</h1>" },
    { ...buildAnswer(200, "ok"), do: "status_after_accept" },
  ])("are found by their exact text: %j", async (answer) => {
    const ada = await connectChannel();
    await faultCall(ada.username, "post/publish/content/init", answer);
    const { publishOutcome, publishKey } = await publishOnce(post("exactly this", [await photo()]), ada.context);
    expect(publishOutcome).toMatchObject({ is: "unknown" });
    const [entry] = await readPublished(ada.username);
    expect(await reconcile(publishKey, ada.context)).toEqual({
      is: "live",
      id: entry?.id,
      url: entry?.url,
      urlState: "none",
    });
    expect(await readPublished(ada.username)).toHaveLength(1);
  });

  it.each([
    ["photos", "post/publish/content/init"],
    ["a video", null],
  ])("are found by the beginning of a long text, because the list shows no more: %s", async (kind, call) => {
    const ada = await connectChannel();
    const text = `${"long ".repeat(60)}end`;
    if (call !== null) await faultCall(ada.username, call, { do: "reset_after_accept" });
    const media = [call === null ? video() : await photo()];
    const { publishOutcome, publishKey } = await publishOnce(post(text, media), later(ada.context, -5_000));
    expect(publishOutcome?.is).toBe(kind === "photos" ? "unknown" : "processing");
    await faultCall(ada.username, "post/publish/status/fetch", buildAnswer(400, "invalid_publish_id"));
    const [entry] = await readPublished(ada.username);
    expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it.each([
    ["if they did not arrive", "reset_before"],
    ["if they arrived", "reset_after_accept"],
  ])("are not confused with another post that shares the 150 listed characters: %s", async (_, faultKind) => {
    const ada = await connectChannel();
    const shared = "s".repeat(150);
    await publishOnce(post(`${shared} first`, [await photo()]), ada.context);
    await faultCall(ada.username, "post/publish/content/init", { do: faultKind });
    const second = await publishOnce(post(`${shared} second`, [await photo()]), ada.context);
    expect(await reconcile(second.publishKey, ada.context)).toMatchObject({ is: "unknown" });
    // An exact text of 150 characters is not enough either, because the list may show the beginning of a longer text.
    const third = await connectChannel();
    await publishOnce(post(`${shared} first`, [await photo()]), third.context);
    await faultCall(third.username, "post/publish/content/init", { do: faultKind });
    const exact = await publishOnce(post(shared, [await photo()]), third.context);
    expect(await reconcile(exact.publishKey, third.context)).toMatchObject({ is: "unknown" });
  });

  it("are never sent again, because a post that is not found may be live", async () => {
    const ada = await connectChannel();
    await faultCall(ada.username, "post/publish/content/init", { do: "reset_before" });
    const { publishOutcome, publishKey } = await publishOnce(post("nowhere", [await photo()]), ada.context);
    expect(publishOutcome).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, later(ada.context, 20 * HOUR_MS))).toMatchObject({ is: "unknown" });
  });

  it.each([
    ["an older post of the same text", "same", "same", {}, true],
    ["a post with the same beginning", "the same beginning, and more", "the same beginning", {}, false],
    ["two posts of the same text", "twice", "twice", {}, false],
    ["a post without text", "", "", {}, false],
    ["a post that is not public", "mine", "mine", { privacy_level: "SELF_ONLY" }, false],
  ])("are not confused with %s", async (which, theirs, ours, options, isOlder) => {
    const ada = await connectChannel();
    for (let i = which.startsWith("two") ? 2 : 1; i > 0; i--)
      await publishOnce(post(theirs, [await photo()], options), ada.context);
    await faultCall(ada.username, "post/publish/content/init", { do: "reset_before" });
    const { publishKey } = await publishOnce(
      post(ours, [await photo()], options),
      isOlder ? later(ada.context, 60_000) : ada.context,
    );
    expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: "unknown" });
  });

  it("stay unknown if the list cannot be read", async () => {
    const ada = await connectChannel();
    await faultCall(ada.username, "post/publish/content/init", { do: "reset_after_accept" });
    const { publishKey } = await publishOnce(post("x", [await photo()]), ada.context);
    for (const [answer, expectedIs] of [
      [{ do: "reset_before" }, "retryable"],
      [buildAnswer(401, "scope_not_authorized"), "retryable"],
      [buildAnswer(401, "access_token_invalid"), "unauthorized"],
    ] as const) {
      await faultCall(ada.username, "video/list", answer);
      expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: expectedIs });
    }
  });

  it("may be published again if they could not be fetched", async () => {
    const ada = await connectChannel();
    const away = { ...(await photo()), url: "http://127.0.0.1:9/nothing.jpg" };
    const { publishOutcome } = await publishOnce(post("x", [away]), ada.context);
    if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
    const dead = { is: "void", error: "network_unavailable", networkMessage: "photo_pull_failed" };
    expect(await waitUntilProcessed(publishOutcome.publishKey, ada.context)).toEqual(dead);
    expect(await readPublished(ada.username)).toEqual([]);
  });
});
