// What TikTok's connector does after a crash and after an answer that never came: never a second post.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { type ConnectorContext, MediaUnavailable } from "../../src/networks/network.ts";
import { tiktok } from "../../src/networks/tiktok/index.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { prepared } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import {
  type Channel,
  channel,
  later,
  names,
  onCall,
  photo,
  post,
  published,
  publishOnce,
  reconcile,
  says,
  settled,
  sums,
  video,
} from "./tiktok/support.ts";

withSimulators({ partsDivisor: PARTS_DIVISOR });

const HOUR_MS = 3_600_000;
const CHUNK = 10_000_000 / PARTS_DIVISOR;
/** Three chunks. */
const BYTES = 3 * CHUNK + 1;
const LARGE = [video(BYTES)];

const count = ({ calls }: Channel, name: string) => names(calls).filter((other) => other === name).length;
const INIT = "post/publish/video/init/";

/** Prepares with whatever was saved last. */
async function prepareFrom(saved: Json[], media: typeof LARGE, context: ConnectorContext<Json>) {
  return tiktok.prepare(post("large", media), context, saved.at(-1) ?? null, async (publishHandle) => {
    saved.push(publishHandle);
  });
}

describe("an upload that broke off", () => {
  it.each([
    ["before the second chunk arrived", "reset_before"],
    ["after the second chunk arrived, before that was known", "reset_after_accept"],
  ])("%s goes on where the network stands, under the same publish_id", async (_, how) => {
    const ada = await channel();
    const saved: Json[] = [];
    await onCall(ada.username, "upload", { do: how, skip: 1 });
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(saved.map((publishHandle) => (publishHandle as { sent: number }).sent)).toEqual([0, CHUNK]);
    const again = await prepareFrom(saved, LARGE, ada.context);
    if (again.is !== "prepared") throw new Error(JSON.stringify(again));
    expect(count(ada, INIT)).toBe(1);
    expect(await published(ada.username)).toEqual([]);
    const sent = await tiktok.publish(post("large", LARGE), again.handle, ada.context);
    if (sent.is !== "processing") throw new Error(JSON.stringify(sent));
    expect(await settled(sent.handle, ada.context)).toMatchObject({ is: "live" });
    expect(await published(ada.username)).toMatchObject([{ media: await sums(LARGE) }]);
    // Two of the three chunks were sent once; a chunk whose arrival was not known is not sent again.
    expect(count(ada, "video/")).toBe(how === "reset_before" ? 4 : 3);
  });

  it("goes on by the range that the network asks for when it does not say how much it has", async () => {
    const ada = await channel();
    const saved: Json[] = [];
    await onCall(ada.username, "upload", { do: "reset_after_accept", skip: 0 });
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({ is: "retryable" });
    await onCall(ada.username, "post/publish/status/fetch", says(200, "ok", { status: "PROCESSING_UPLOAD" }));
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({
      is: "prepared",
      handle: { sent: 2 * CHUNK },
    });
    expect(count(ada, INIT)).toBe(1);
  });

  it.each([`bytes 0-${CHUNK}/${BYTES}`, `bytes 0-${CHUNK - 1}/${BYTES}`])("takes `%s` for one chunk", async (range) => {
    const ada = await channel();
    const saved: Json[] = [];
    await onCall(ada.username, "upload", {
      do: "status_after_accept",
      status: 416,
      headers: { "content-range": range },
    });
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({
      is: "prepared",
      handle: { sent: 2 * CHUNK },
    });
  });

  it("waits when the network corrects it without sense", async () => {
    const ada = await channel();
    for (const range of ["bytes 0-0", "bytes 0-12345", "bytes *", ""].map((range) => range && `${range}/${BYTES}`)) {
      const headers = { "content-range": range };
      await onCall(ada.username, "upload", { do: "status", status: 416, headers });
      expect(await prepareFrom([], LARGE, ada.context)).toMatchObject({
        is: "retryable",
        error: "network_unavailable",
      });
    }
  });

  it.each([400, 403, 404, 500, 503])(
    "answered %i waits, and opens no second upload within the hour",
    async (status) => {
      const ada = await channel();
      const saved: Json[] = [];
      await onCall(ada.username, "upload", { do: "status", status, body: "" });
      expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({
        is: "retryable",
        error: "network_unavailable",
      });
      expect(await prepareFrom(saved, LARGE, later(ada.context, HOUR_MS))).toMatchObject({ is: "prepared" });
      expect(count(ada, INIT)).toBe(1);
    },
  );

  it("is opened anew once its hour is over", async () => {
    const ada = await channel();
    const saved: Json[] = [];
    await onCall(ada.username, "upload", { do: "reset_before" });
    await prepareFrom(saved, LARGE, ada.context);
    expect(await prepareFrom(saved, LARGE, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({ is: "prepared" });
    expect(count(ada, INIT)).toBe(2);
    expect(count(ada, "post/publish/creator_info/query/")).toBe(2);
  });

  it.each([
    ["that the network has given up is opened anew", says(200, "ok", { status: "FAILED", fail_reason: "internal" }), 2],
    ["that the network does not know any more is opened anew", says(400, "invalid_publish_id"), 2],
    ["that the network cannot tell of now waits", says(500, "internal_error"), 1],
  ])("%s", async (_, what, inits) => {
    const ada = await channel();
    const saved: Json[] = [];
    await onCall(ada.username, "upload", { do: "reset_before" });
    await prepareFrom(saved, LARGE, ada.context);
    await onCall(ada.username, "post/publish/status/fetch", what);
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({ is: inits === 2 ? "prepared" : "retryable" });
    expect(count(ada, INIT)).toBe(inits);
  });

  it("that the network refused for good is refused", async () => {
    const ada = await channel();
    const saved: Json[] = [];
    await onCall(ada.username, "upload", { do: "reset_before" });
    await prepareFrom(saved, LARGE, ada.context);
    const status = { status: "FAILED", fail_reason: "spam_risk" };
    await onCall(ada.username, "post/publish/status/fetch", says(200, "ok", status));
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({ is: "rejected", error: "content_refused" });
    expect(count(ada, INIT)).toBe(1);
  });

  it("of a file that has another length by now is opened anew", async () => {
    const ada = await channel();
    const saved: Json[] = [];
    await prepareFrom(saved, LARGE, ada.context);
    expect(await prepareFrom(saved, [video(30_000_002)], ada.context)).toMatchObject({ is: "prepared" });
    expect(count(ada, INIT)).toBe(2);
  });

  it("of a file that can only be read whole goes up whole, or says that it cannot", async () => {
    const whole = (bytes: number) => {
      const file = video(bytes);
      const open: typeof file.open = (range) =>
        range === undefined ? file.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
      return { ...file, open };
    };
    const ada = await channel();
    const media = [whole(2 * CHUNK + 1)];
    const { sent } = await publishOnce(post("whole", media), ada.context);
    expect(sent).toMatchObject({ is: "processing" });
    expect(await published(ada.username)).toMatchObject([{ media: await sums(media) }]);
    expect(count(ada, "video/")).toBe(1);
    await expect(publishOnce(post("no", [whole(64_000_000 / PARTS_DIVISOR + 1)]), ada.context)).rejects.toThrow(
      "cannot be read in parts",
    );
  });

  it("whose init had no answer is opened again: nothing was published", async () => {
    const ada = await channel();
    const saved: Json[] = [];
    await onCall(ada.username, "post/publish/video/init", { do: "reset_after_accept" });
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(saved).toEqual([]);
    expect(await prepareFrom(saved, LARGE, ada.context)).toMatchObject({ is: "prepared" });
    expect(await published(ada.username)).toEqual([]);
  });
});

describe("the last chunk without an answer", () => {
  const MEDIA = [video(CHUNK + 1)];
  const x = post("once", MEDIA);

  it.each([
    { do: "reset_after_accept" },
    { do: "status_after_accept", status: 500, body: "" },
    { do: "status_after_accept", status: 206, body: "" },
  ])("that arrived is found by its publish_id: %j", async (what) => {
    const ada = await channel();
    await onCall(ada.username, "upload", what);
    const { sent, handle: publishHandle } = await publishOnce(x, ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    expect(await settled(publishHandle, ada.context)).toMatchObject({ is: "live", urlState: "none" });
    expect(await published(ada.username)).toHaveLength(1);
    expect(count(ada, INIT)).toBe(1);
  });

  it("that did not arrive is sent again under the same publish_id", async () => {
    const ada = await channel();
    await onCall(ada.username, "upload", { do: "reset_before" });
    const { sent, handle: publishHandle } = await publishOnce(x, ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishHandle, ada.context)).toEqual({ is: "not_published" });
    const again = await tiktok.publish(x, publishHandle, ada.context);
    if (again.is !== "processing") throw new Error(JSON.stringify(again));
    expect(await settled(again.handle, ada.context)).toMatchObject({ is: "live" });
    expect(await published(ada.username)).toHaveLength(1);
  });

  it("that arrived and is sent once more all the same makes no second post", async () => {
    const ada = await channel();
    const { handle: publishHandle } = await publishOnce(x, ada.context);
    expect(await tiktok.publish(x, publishHandle, ada.context)).toMatchObject({ is: "processing" });
    expect(await published(ada.username)).toHaveLength(1);
    expect(tiktok.republishAfterMs).toBeGreaterThan(tiktok.publishTimeoutMs);
  });

  it("is given up for a new upload only when its hour is over", async () => {
    const ada = await channel();
    await onCall(ada.username, "upload", { do: "reset_before" });
    const { handle: publishHandle } = await publishOnce(x, ada.context);
    expect(await reconcile(publishHandle, later(ada.context, HOUR_MS))).toEqual({ is: "not_published" });
    expect(await reconcile(publishHandle, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({ is: "void" });
    // Without a count nobody knows what arrived.
    const what = says(200, "ok", { status: "PROCESSING_UPLOAD" });
    await onCall(ada.username, "post/publish/status/fetch", { ...what, count: 2 });
    expect(await reconcile(publishHandle, ada.context)).toEqual({ is: "not_published" });
    expect(await reconcile(publishHandle, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({ is: "unknown" });
  });

  it.each([400, 403, 404])("answered %i was not taken: it is made ready again", async (status) => {
    const ada = await channel();
    const publishHandle = await prepared(tiktok, x, ada.context);
    await onCall(ada.username, "upload", { do: "status", status, body: "" });
    expect(await tiktok.publish(x, publishHandle, ada.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    await onCall(ada.username, "upload", { do: "status", status, body: "" });
    await onCall(ada.username, "post/publish/status/fetch", { do: "reset_before" });
    expect(await tiktok.publish(x, publishHandle, ada.context)).toMatchObject({ is: "unknown" });
    expect(await published(ada.username)).toEqual([]);
  });

  it("answered 200 by whatever stands before TikTok is not taken for complete, and sent again", async () => {
    const ada = await channel();
    const publishHandle = await prepared(tiktok, x, ada.context);
    await onCall(ada.username, "upload", { do: "status", status: 200, body: "<p>Please wait" });
    expect(await tiktok.publish(x, publishHandle, ada.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishHandle, ada.context)).toEqual({ is: "not_published" });
    expect(await tiktok.publish(x, publishHandle, ada.context)).toMatchObject({ is: "processing" });
    expect(await published(ada.username)).toHaveLength(1);
  });

  it("and a refusal for good is a refusal in the end, not unknown", async () => {
    const ada = await channel();
    await onCall(ada.username, "upload", { do: "reset_after_accept" });
    const { handle: publishHandle } = await publishOnce(x, ada.context);
    const what = says(200, "ok", { status: "FAILED", fail_reason: "spam_risk_text" });
    await onCall(ada.username, "post/publish/status/fetch", { ...what, count: 2 });
    const first = await reconcile(publishHandle, ada.context);
    if (first.is !== "processing") throw new Error(JSON.stringify(first));
    expect(await reconcile(first.handle, ada.context)).toMatchObject({ is: "rejected", error: "content_refused" });
  });
});

describe("a question about a post in the works", () => {
  it.each([
    [{ do: "reset_before" }, "retryable"],
    [says(500, "internal_error"), "retryable"],
    [says(401, "access_token_invalid"), "unauthorized"],
    // A refusal of the question is no refusal of the post.
    [says(401, "scope_not_authorized"), "retryable"],
    [says(400, "invalid_params"), "retryable"],
    [says(429, "rate_limit_exceeded"), "retryable"],
    [says(200, "ok", { status: "SEND_TO_USER_INBOX" }), "processing"],
    [says(200, "ok", { status: 7 }), "retryable"],
  ])("answered %j is %s", async (what, is) => {
    const { username, context } = await channel();
    const { sent } = await publishOnce(post("x", [video()]), context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    await onCall(username, "post/publish/status/fetch", what);
    expect(await reconcile(sent.handle, context)).toMatchObject({ is });
  });

  it("comes often at first, then every five minutes", async () => {
    const { username, context } = await channel();
    const { sent } = await publishOnce(post("x", [video()]), context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    expect(sent.askAt - Date.now()).toBeLessThanOrEqual(2_000);
    await onCall(username, "post/publish/status/fetch", {
      ...says(200, "ok", { status: "PROCESSING_UPLOAD", uploaded_bytes: 300_000 }),
      count: 1,
    });
    const day = later(context, 20 * HOUR_MS);
    const found = await reconcile(sent.handle, day);
    if (found.is !== "processing") throw new Error(found.is);
    expect(found.askAt - day.io.now()).toBeLessThanOrEqual(300_000);
    expect(found.askAt - day.io.now()).toBeGreaterThan(290_000);
  });

  it("whose publish_id the network has lost is answered by the text", async () => {
    const ada = await channel();
    const { sent } = await publishOnce(post("unmistakable", [video()]), ada.context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    for (const code of ["invalid_publish_id", "token_not_authorized_for_specified_publish_id"]) {
      await onCall(ada.username, "post/publish/status/fetch", says(400, code));
      const [entry] = await published(ada.username);
      expect(await reconcile(sent.handle, ada.context)).toMatchObject({ is: "live", id: entry?.id, url: entry?.url });
    }
  });
});

describe("photos whose answer was lost", () => {
  it.each([
    { do: "reset_after_accept" },
    { do: "status_after_accept", status: 500, body: "" },
    { do: "status_after_accept", status: 200, body: "<h1>ok</h1>" },
    { ...says(200, "ok"), do: "status_after_accept" },
  ])("are found by their exact text: %j", async (what) => {
    const ada = await channel();
    await onCall(ada.username, "post/publish/content/init", what);
    const { sent, handle: publishHandle } = await publishOnce(post("exactly this", [await photo()]), ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    const [entry] = await published(ada.username);
    expect(await reconcile(publishHandle, ada.context)).toEqual({
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
  ])("are found by the beginning of a long text, which is all that is listed: %s", async (kind, call) => {
    const ada = await channel();
    const text = `${"long ".repeat(60)}end`;
    if (call !== null) await onCall(ada.username, call, { do: "reset_after_accept" });
    const media = [call === null ? video() : await photo()];
    const { sent, handle: publishHandle } = await publishOnce(post(text, media), later(ada.context, -5_000));
    expect(sent?.is).toBe(kind === "photos" ? "unknown" : "processing");
    await onCall(ada.username, "post/publish/status/fetch", says(400, "invalid_publish_id"));
    const [entry] = await published(ada.username);
    expect(await reconcile(publishHandle, ada.context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it.each([
    ["did not arrive", "reset_before"],
    ["arrived too", "reset_after_accept"],
  ])("are never taken for another that shares the 150 listed characters: %s", async (_, what) => {
    const ada = await channel();
    const shared = "s".repeat(150);
    await publishOnce(post(`${shared} first`, [await photo()]), ada.context);
    await onCall(ada.username, "post/publish/content/init", { do: what });
    const second = await publishOnce(post(`${shared} second`, [await photo()]), ada.context);
    expect(await reconcile(second.handle, ada.context)).toMatchObject({ is: "unknown" });
    // Nor is an exact text of 150 characters, of which the list may show the beginning of a longer one.
    const third = await channel();
    await publishOnce(post(`${shared} first`, [await photo()]), third.context);
    await onCall(third.username, "post/publish/content/init", { do: what });
    const exact = await publishOnce(post(shared, [await photo()]), third.context);
    expect(await reconcile(exact.handle, third.context)).toMatchObject({ is: "unknown" });
  });

  it("are never sent again: what is not found may be out", async () => {
    const ada = await channel();
    await onCall(ada.username, "post/publish/content/init", { do: "reset_before" });
    const { sent, handle: publishHandle } = await publishOnce(post("nowhere", [await photo()]), ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishHandle, later(ada.context, 20 * HOUR_MS))).toMatchObject({ is: "unknown" });
  });

  it.each([
    ["an older post of the same text", "same", "same", {}, true],
    ["a post that only begins alike", "the same beginning, and more", "the same beginning", {}, false],
    ["two posts of the same text", "twice", "twice", {}, false],
    ["a post without text", "", "", {}, false],
    ["a post that is not public", "mine", "mine", { privacy_level: "SELF_ONLY" }, false],
  ])("are not taken for %s", async (which, theirs, ours, options, isOlder) => {
    const ada = await channel();
    for (let i = which.startsWith("two") ? 2 : 1; i > 0; i--)
      await publishOnce(post(theirs, [await photo()], options), ada.context);
    await onCall(ada.username, "post/publish/content/init", { do: "reset_before" });
    const { handle: publishHandle } = await publishOnce(
      post(ours, [await photo()], options),
      isOlder ? later(ada.context, 60_000) : ada.context,
    );
    expect(await reconcile(publishHandle, ada.context)).toMatchObject({ is: "unknown" });
  });

  it("stay unknown when the list cannot be read", async () => {
    const ada = await channel();
    await onCall(ada.username, "post/publish/content/init", { do: "reset_after_accept" });
    const { handle: publishHandle } = await publishOnce(post("x", [await photo()]), ada.context);
    for (const [what, is] of [
      [{ do: "reset_before" }, "retryable"],
      [says(401, "scope_not_authorized"), "retryable"],
      [says(401, "access_token_invalid"), "unauthorized"],
    ] as const) {
      await onCall(ada.username, "video/list", what);
      expect(await reconcile(publishHandle, ada.context)).toMatchObject({ is });
    }
  });

  it("that could not be fetched may be posted anew", async () => {
    const ada = await channel();
    const away = { ...(await photo()), url: "http://127.0.0.1:9/nothing.jpg" };
    const { sent } = await publishOnce(post("x", [away]), ada.context);
    if (sent?.is !== "processing") throw new Error(sent?.is);
    const dead = { is: "void", error: "network_unavailable", detail: "TikTok: photo_pull_failed" };
    expect(await settled(sent.handle, ada.context)).toEqual(dead);
    expect(await published(ada.username)).toEqual([]);
  });
});
