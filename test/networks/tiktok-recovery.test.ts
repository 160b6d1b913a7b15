// Reconciling TikTok posts whose answer was lost: there is never a second post.
import { describe, expect, it } from "vitest";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { withSimulators } from "./simulators.ts";
import {
  channel,
  later,
  onCall,
  photo,
  post,
  published,
  publishOnce,
  reconcile,
  says,
  settled,
  video,
} from "./tiktok/support.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });

const HOUR_MS = 3_600_000;

describe("reconciling an unfinished TikTok post", () => {
  it.each([
    [{ do: "reset_before" }, "retryable"],
    [says(500, "internal_error"), "retryable"],
    [says(401, "access_token_invalid"), "unauthorized"],
    // An error of the status call is no rejection of the post.
    [says(401, "scope_not_authorized"), "retryable"],
    [says(400, "invalid_params"), "retryable"],
    [says(429, "rate_limit_exceeded"), "retryable"],
    [says(200, "ok", { status: "SEND_TO_USER_INBOX" }), "processing"],
    [says(200, "ok", { status: 7 }), "retryable"],
  ])("after the answer %j ends as %s", async (answer, expectedIs) => {
    const { username, context } = await channel();
    const { sent } = await publishOnce(post("x", [video()]), context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    await onCall(username, "post/publish/status/fetch", answer);
    expect(await reconcile(sent.publishKey, context)).toMatchObject({ is: expectedIs });
  });

  it("asks often at first, then every five minutes", async () => {
    const { username, context } = await channel();
    const { sent } = await publishOnce(post("x", [video()]), context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    expect(sent.askAt - Date.now()).toBeLessThanOrEqual(2_000);
    await onCall(username, "post/publish/status/fetch", {
      ...says(200, "ok", { status: "PROCESSING_UPLOAD", uploaded_bytes: 300_000 }),
      count: 1,
    });
    const day = later(context, 20 * HOUR_MS);
    const outcome = await reconcile(sent.publishKey, day);
    if (outcome.is !== "processing") throw new Error(outcome.is);
    expect(outcome.askAt - day.io.now()).toBeLessThanOrEqual(300_000);
    expect(outcome.askAt - day.io.now()).toBeGreaterThan(290_000);
  });

  it("finds the post by its text if the network no longer knows the publish_id", async () => {
    const ada = await channel();
    const { sent } = await publishOnce(post("unmistakable", [video()]), ada.context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    for (const code of ["invalid_publish_id", "token_not_authorized_for_specified_publish_id"]) {
      await onCall(ada.username, "post/publish/status/fetch", says(400, code));
      const [entry] = await published(ada.username);
      expect(await reconcile(sent.publishKey, ada.context)).toMatchObject({
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
    { ...says(200, "ok"), do: "status_after_accept" },
  ])("are found by their exact text: %j", async (answer) => {
    const ada = await channel();
    await onCall(ada.username, "post/publish/content/init", answer);
    const { sent, publishKey } = await publishOnce(post("exactly this", [await photo()]), ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    const [entry] = await published(ada.username);
    expect(await reconcile(publishKey, ada.context)).toEqual({
      is: "live",
      id: entry?.id,
      url: entry?.url,
      urlState: "none",
    });
    expect(await published(ada.username)).toHaveLength(1);
  });

  it.each([
    ["photos", "post/publish/content/init"],
    ["a video", null],
  ])("are found by the beginning of a long text, because the list shows no more: %s", async (kind, call) => {
    const ada = await channel();
    const text = `${"long ".repeat(60)}end`;
    if (call !== null) await onCall(ada.username, call, { do: "reset_after_accept" });
    const media = [call === null ? video() : await photo()];
    const { sent, publishKey } = await publishOnce(post(text, media), later(ada.context, -5_000));
    expect(sent?.is).toBe(kind === "photos" ? "unknown" : "processing");
    await onCall(ada.username, "post/publish/status/fetch", says(400, "invalid_publish_id"));
    const [entry] = await published(ada.username);
    expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it.each([
    ["if they did not arrive", "reset_before"],
    ["if they arrived", "reset_after_accept"],
  ])("are not confused with another post that shares the 150 listed characters: %s", async (_, faultKind) => {
    const ada = await channel();
    const shared = "s".repeat(150);
    await publishOnce(post(`${shared} first`, [await photo()]), ada.context);
    await onCall(ada.username, "post/publish/content/init", { do: faultKind });
    const second = await publishOnce(post(`${shared} second`, [await photo()]), ada.context);
    expect(await reconcile(second.publishKey, ada.context)).toMatchObject({ is: "unknown" });
    // An exact text of 150 characters is not enough either, because the list may show the beginning of a longer text.
    const third = await channel();
    await publishOnce(post(`${shared} first`, [await photo()]), third.context);
    await onCall(third.username, "post/publish/content/init", { do: faultKind });
    const exact = await publishOnce(post(shared, [await photo()]), third.context);
    expect(await reconcile(exact.publishKey, third.context)).toMatchObject({ is: "unknown" });
  });

  it("are never sent again, because a post that is not found may be live", async () => {
    const ada = await channel();
    await onCall(ada.username, "post/publish/content/init", { do: "reset_before" });
    const { sent, publishKey } = await publishOnce(post("nowhere", [await photo()]), ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, later(ada.context, 20 * HOUR_MS))).toMatchObject({ is: "unknown" });
  });

  it.each([
    ["an older post of the same text", "same", "same", {}, true],
    ["a post with the same beginning", "the same beginning, and more", "the same beginning", {}, false],
    ["two posts of the same text", "twice", "twice", {}, false],
    ["a post without text", "", "", {}, false],
    ["a post that is not public", "mine", "mine", { privacy_level: "SELF_ONLY" }, false],
  ])("are not confused with %s", async (which, theirs, ours, options, isOlder) => {
    const ada = await channel();
    for (let i = which.startsWith("two") ? 2 : 1; i > 0; i--)
      await publishOnce(post(theirs, [await photo()], options), ada.context);
    await onCall(ada.username, "post/publish/content/init", { do: "reset_before" });
    const { publishKey } = await publishOnce(
      post(ours, [await photo()], options),
      isOlder ? later(ada.context, 60_000) : ada.context,
    );
    expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: "unknown" });
  });

  it("stay unknown if the list cannot be read", async () => {
    const ada = await channel();
    await onCall(ada.username, "post/publish/content/init", { do: "reset_after_accept" });
    const { publishKey } = await publishOnce(post("x", [await photo()]), ada.context);
    for (const [answer, expectedIs] of [
      [{ do: "reset_before" }, "retryable"],
      [says(401, "scope_not_authorized"), "retryable"],
      [says(401, "access_token_invalid"), "unauthorized"],
    ] as const) {
      await onCall(ada.username, "video/list", answer);
      expect(await reconcile(publishKey, ada.context)).toMatchObject({ is: expectedIs });
    }
  });

  it("may be published again if they could not be fetched", async () => {
    const ada = await channel();
    const away = { ...(await photo()), url: "http://127.0.0.1:9/nothing.jpg" };
    const { sent } = await publishOnce(post("x", [away]), ada.context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    const dead = { is: "void", error: "network_unavailable", networkMessage: "photo_pull_failed" };
    expect(await settled(sent.publishKey, ada.context)).toEqual(dead);
    expect(await published(ada.username)).toEqual([]);
  });
});
