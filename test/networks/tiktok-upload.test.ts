// A TikTok upload that breaks off, and a last chunk without an answer: there is never a second post.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { MediaUnavailable } from "../../src/networks/media-file.ts";
import type { ConnectorContext } from "../../src/networks/network.ts";
import { tiktok } from "../../src/networks/tiktok/index.ts";
import { CHUNKS_DIVISOR } from "../support/small-chunks.ts";
import { prepareOnce } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import {
  buildAnswer,
  type Channel,
  computeSums,
  connectChannel,
  faultCall,
  later,
  listNames,
  post,
  publishOnce,
  readPublished,
  reconcile,
  video,
  waitUntilProcessed,
} from "./tiktok/support.ts";

withSimulators({ chunksDivisor: CHUNKS_DIVISOR });

const HOUR_MS = 3_600_000;
const CHUNK_BYTES = 10_000_000 / CHUNKS_DIVISOR;
/** A video of three chunks. */
const BYTES = 3 * CHUNK_BYTES + 1;
const LARGE = [video(BYTES)];

const countCalls = ({ calls }: Channel, name: string) =>
  listNames(calls).filter((callName) => callName === name).length;
const INIT = "post/publish/video/init/";

/** Prepares from the last saved publish key. */
async function prepareFrom(savedKeys: Json[], media: typeof LARGE, context: ConnectorContext<Json>) {
  return tiktok.prepare(post("large", media), context, savedKeys.at(-1) ?? null, async (publishKey) => {
    savedKeys.push(publishKey);
  });
}

describe("an interrupted TikTok upload", () => {
  it.each([
    ["before the second chunk arrived", "reset_before"],
    ["after the second chunk arrived without an answer", "reset_after_accept"],
  ])("continues at the network's position, under the same publish_id: %s", async (_, faultKind) => {
    const ada = await connectChannel();
    const savedKeys: Json[] = [];
    await faultCall(ada.username, "upload", { do: faultKind, skip: 1 });
    expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(savedKeys.map((publishKey) => (publishKey as { sent: number }).sent)).toEqual([0, CHUNK_BYTES]);
    const again = await prepareFrom(savedKeys, LARGE, ada.context);
    if (again.is !== "prepared") throw new Error(JSON.stringify(again));
    expect(countCalls(ada, INIT)).toBe(1);
    expect(await readPublished(ada.username)).toEqual([]);
    const outcome = await tiktok.publish(post("large", LARGE), again.publishKey, ada.context);
    if (outcome.is !== "processing") throw new Error(JSON.stringify(outcome));
    expect(await waitUntilProcessed(outcome.publishKey, ada.context)).toMatchObject({ is: "live" });
    expect(await readPublished(ada.username)).toMatchObject([{ media: await computeSums(LARGE) }]);
    // Two of the three chunks were sent once. A chunk that arrived without an answer is not sent again.
    expect(countCalls(ada, "video/")).toBe(faultKind === "reset_before" ? 4 : 3);
  });

  it("continues at the range that the network asks for if the status has no position", async () => {
    const ada = await connectChannel();
    const savedKeys: Json[] = [];
    await faultCall(ada.username, "upload", { do: "reset_after_accept", skip: 0 });
    expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({ is: "retryable" });
    await faultCall(ada.username, "post/publish/status/fetch", buildAnswer(200, "ok", { status: "PROCESSING_UPLOAD" }));
    expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({
      is: "prepared",
      publishKey: { sent: 2 * CHUNK_BYTES },
    });
    expect(countCalls(ada, INIT)).toBe(1);
  });

  it.each([`bytes 0-${CHUNK_BYTES}/${BYTES}`, `bytes 0-${CHUNK_BYTES - 1}/${BYTES}`])(
    "understands `%s` as one chunk",
    async (range) => {
      const ada = await connectChannel();
      const savedKeys: Json[] = [];
      await faultCall(ada.username, "upload", {
        do: "status_after_accept",
        status: 416,
        headers: { "content-range": range },
      });
      expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({
        is: "prepared",
        publishKey: { sent: 2 * CHUNK_BYTES },
      });
    },
  );

  it("is retryable if the network asks for an impossible range", async () => {
    const ada = await connectChannel();
    for (const range of ["bytes 0-0", "bytes 0-12345", "bytes *", ""].map((range) => range && `${range}/${BYTES}`)) {
      const headers = { "content-range": range };
      await faultCall(ada.username, "upload", { do: "status", status: 416, headers });
      expect(await prepareFrom([], LARGE, ada.context)).toMatchObject({
        is: "retryable",
        error: "network_unavailable",
      });
    }
  });

  it.each([400, 403, 404, 500, 503])(
    "is retryable after %i, without a second upload within the hour",
    async (status) => {
      const ada = await connectChannel();
      const savedKeys: Json[] = [];
      await faultCall(ada.username, "upload", { do: "status", status, body: "" });
      expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({
        is: "retryable",
        error: "network_unavailable",
      });
      expect(await prepareFrom(savedKeys, LARGE, later(ada.context, HOUR_MS))).toMatchObject({ is: "prepared" });
      expect(countCalls(ada, INIT)).toBe(1);
    },
  );

  it("is started again after its hour", async () => {
    const ada = await connectChannel();
    const savedKeys: Json[] = [];
    await faultCall(ada.username, "upload", { do: "reset_before" });
    await prepareFrom(savedKeys, LARGE, ada.context);
    expect(await prepareFrom(savedKeys, LARGE, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({
      is: "prepared",
    });
    expect(countCalls(ada, INIT)).toBe(2);
    expect(countCalls(ada, "post/publish/creator_info/query/")).toBe(2);
  });

  it.each([
    [
      "is started again if the network has given up",
      buildAnswer(200, "ok", { status: "FAILED", fail_reason: "internal" }),
      2,
    ],
    ["is started again if the network no longer knows it", buildAnswer(400, "invalid_publish_id"), 2],
    ["waits if the network does not report its state", buildAnswer(500, "internal_error"), 1],
  ])("%s", async (_, answer, startCount) => {
    const ada = await connectChannel();
    const savedKeys: Json[] = [];
    await faultCall(ada.username, "upload", { do: "reset_before" });
    await prepareFrom(savedKeys, LARGE, ada.context);
    await faultCall(ada.username, "post/publish/status/fetch", answer);
    expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({
      is: startCount === 2 ? "prepared" : "retryable",
    });
    expect(countCalls(ada, INIT)).toBe(startCount);
  });

  it("is rejected if the network has rejected it permanently", async () => {
    const ada = await connectChannel();
    const savedKeys: Json[] = [];
    await faultCall(ada.username, "upload", { do: "reset_before" });
    await prepareFrom(savedKeys, LARGE, ada.context);
    const status = { status: "FAILED", fail_reason: "spam_risk" };
    await faultCall(ada.username, "post/publish/status/fetch", buildAnswer(200, "ok", status));
    expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({
      is: "rejected",
      error: "content_refused",
    });
    expect(countCalls(ada, INIT)).toBe(1);
  });

  it("is started again if the file now has another length", async () => {
    const ada = await connectChannel();
    const savedKeys: Json[] = [];
    await prepareFrom(savedKeys, LARGE, ada.context);
    expect(await prepareFrom(savedKeys, [video(30_000_002)], ada.context)).toMatchObject({ is: "prepared" });
    expect(countCalls(ada, INIT)).toBe(2);
  });

  it("is sent as a whole if the file can only be read as a whole, or fails with the reason", async () => {
    const buildWholeOnly = (bytes: number) => {
      const file = video(bytes);
      const open: typeof file.open = (range) =>
        range === undefined ? file.open() : Promise.reject(new MediaUnavailable("cannot be read in parts", false));
      return { ...file, open };
    };
    const ada = await connectChannel();
    const media = [buildWholeOnly(2 * CHUNK_BYTES + 1)];
    const { publishOutcome } = await publishOnce(post("whole", media), ada.context);
    expect(publishOutcome).toMatchObject({ is: "processing" });
    expect(await readPublished(ada.username)).toMatchObject([{ media: await computeSums(media) }]);
    expect(countCalls(ada, "video/")).toBe(1);
    await expect(
      publishOnce(post("no", [buildWholeOnly(64_000_000 / CHUNKS_DIVISOR + 1)]), ada.context),
    ).rejects.toThrow("cannot be read in parts");
  });

  it("is started again if its start got no answer, because nothing was published", async () => {
    const ada = await connectChannel();
    const savedKeys: Json[] = [];
    await faultCall(ada.username, "post/publish/video/init", { do: "reset_after_accept" });
    expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(savedKeys).toEqual([]);
    expect(await prepareFrom(savedKeys, LARGE, ada.context)).toMatchObject({ is: "prepared" });
    expect(await readPublished(ada.username)).toEqual([]);
  });
});

describe("a last TikTok chunk without an answer", () => {
  const MEDIA = [video(CHUNK_BYTES + 1)];
  const newPost = post("once", MEDIA);

  it.each([
    { do: "reset_after_accept" },
    { do: "status_after_accept", status: 500, body: "" },
    { do: "status_after_accept", status: 206, body: "" },
  ])("is found by its publish_id if it arrived: %j", async (answer) => {
    const ada = await connectChannel();
    await faultCall(ada.username, "upload", answer);
    const { publishOutcome, publishKey } = await publishOnce(newPost, ada.context);
    expect(publishOutcome).toMatchObject({ is: "unknown" });
    expect(await waitUntilProcessed(publishKey, ada.context)).toMatchObject({ is: "live", urlState: "none" });
    expect(await readPublished(ada.username)).toHaveLength(1);
    expect(countCalls(ada, INIT)).toBe(1);
  });

  it("is sent again under the same publish_id if it did not arrive", async () => {
    const ada = await connectChannel();
    await faultCall(ada.username, "upload", { do: "reset_before" });
    const { publishOutcome, publishKey } = await publishOnce(newPost, ada.context);
    expect(publishOutcome).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, ada.context)).toEqual({ is: "not_published" });
    const again = await tiktok.publish(newPost, publishKey, ada.context);
    if (again.is !== "processing") throw new Error(JSON.stringify(again));
    expect(await waitUntilProcessed(again.publishKey, ada.context)).toMatchObject({ is: "live" });
    expect(await readPublished(ada.username)).toHaveLength(1);
  });

  it("creates no second post if it arrived and is sent again", async () => {
    const ada = await connectChannel();
    const { publishKey } = await publishOnce(newPost, ada.context);
    expect(await tiktok.publish(newPost, publishKey, ada.context)).toMatchObject({ is: "processing" });
    expect(await readPublished(ada.username)).toHaveLength(1);
    expect(tiktok.republishAfterMs).toBeGreaterThan(tiktok.publishTimeoutMs);
  });

  it("is given up for a new upload only after its hour", async () => {
    const ada = await connectChannel();
    await faultCall(ada.username, "upload", { do: "reset_before" });
    const { publishKey } = await publishOnce(newPost, ada.context);
    expect(await reconcile(publishKey, later(ada.context, HOUR_MS))).toEqual({ is: "not_published" });
    expect(await reconcile(publishKey, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({ is: "void" });
    // Without a byte count, it is unknown how much has arrived.
    const answer = buildAnswer(200, "ok", { status: "PROCESSING_UPLOAD" });
    await faultCall(ada.username, "post/publish/status/fetch", { ...answer, count: 2 });
    expect(await reconcile(publishKey, ada.context)).toEqual({ is: "not_published" });
    expect(await reconcile(publishKey, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({ is: "unknown" });
  });

  it.each([400, 403, 404])("is prepared again after %i, because it was not accepted", async (status) => {
    const ada = await connectChannel();
    const publishKey = await prepareOnce(tiktok, newPost, ada.context);
    await faultCall(ada.username, "upload", { do: "status", status, body: "" });
    expect(await tiktok.publish(newPost, publishKey, ada.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    await faultCall(ada.username, "upload", { do: "status", status, body: "" });
    await faultCall(ada.username, "post/publish/status/fetch", { do: "reset_before" });
    expect(await tiktok.publish(newPost, publishKey, ada.context)).toMatchObject({ is: "unknown" });
    expect(await readPublished(ada.username)).toEqual([]);
  });

  it("is sent again after a 200 that did not come from TikTok itself", async () => {
    const ada = await connectChannel();
    const publishKey = await prepareOnce(tiktok, newPost, ada.context);
    await faultCall(ada.username, "upload", { do: "status", status: 200, body: "<p>Please wait" });
    expect(await tiktok.publish(newPost, publishKey, ada.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, ada.context)).toEqual({ is: "not_published" });
    expect(await tiktok.publish(newPost, publishKey, ada.context)).toMatchObject({ is: "processing" });
    expect(await readPublished(ada.username)).toHaveLength(1);
  });

  it("ends as a rejection, not as unknown, if the network rejects the post permanently", async () => {
    const ada = await connectChannel();
    await faultCall(ada.username, "upload", { do: "reset_after_accept" });
    const { publishKey } = await publishOnce(newPost, ada.context);
    const answer = buildAnswer(200, "ok", { status: "FAILED", fail_reason: "spam_risk_text" });
    await faultCall(ada.username, "post/publish/status/fetch", { ...answer, count: 2 });
    const first = await reconcile(publishKey, ada.context);
    if (first.is !== "processing") throw new Error(JSON.stringify(first));
    expect(await reconcile(first.publishKey, ada.context)).toMatchObject({ is: "rejected", error: "content_refused" });
  });
});
