// An upload to TikTok that breaks off, and its last chunk without an answer: never a second post.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { MediaUnavailable } from "../../src/networks/media-file.ts";
import type { ConnectorContext } from "../../src/networks/network.ts";
import { tiktok } from "../../src/networks/tiktok/index.ts";
import { PARTS_DIVISOR } from "../support/small-parts.ts";
import { prepareOnce } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import {
  type Channel,
  channel,
  later,
  names,
  onCall,
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
  return tiktok.prepare(post("large", media), context, saved.at(-1) ?? null, async (publishKey) => {
    saved.push(publishKey);
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
    expect(saved.map((publishKey) => (publishKey as { sent: number }).sent)).toEqual([0, CHUNK]);
    const again = await prepareFrom(saved, LARGE, ada.context);
    if (again.is !== "prepared") throw new Error(JSON.stringify(again));
    expect(count(ada, INIT)).toBe(1);
    expect(await published(ada.username)).toEqual([]);
    const sent = await tiktok.publish(post("large", LARGE), again.publishKey, ada.context);
    if (sent.is !== "processing") throw new Error(JSON.stringify(sent));
    expect(await settled(sent.publishKey, ada.context)).toMatchObject({ is: "live" });
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
      publishKey: { sent: 2 * CHUNK },
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
      publishKey: { sent: 2 * CHUNK },
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
    const { sent, publishKey } = await publishOnce(x, ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    expect(await settled(publishKey, ada.context)).toMatchObject({ is: "live", urlState: "none" });
    expect(await published(ada.username)).toHaveLength(1);
    expect(count(ada, INIT)).toBe(1);
  });

  it("that did not arrive is sent again under the same publish_id", async () => {
    const ada = await channel();
    await onCall(ada.username, "upload", { do: "reset_before" });
    const { sent, publishKey } = await publishOnce(x, ada.context);
    expect(sent).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, ada.context)).toEqual({ is: "not_published" });
    const again = await tiktok.publish(x, publishKey, ada.context);
    if (again.is !== "processing") throw new Error(JSON.stringify(again));
    expect(await settled(again.publishKey, ada.context)).toMatchObject({ is: "live" });
    expect(await published(ada.username)).toHaveLength(1);
  });

  it("that arrived and is sent once more all the same makes no second post", async () => {
    const ada = await channel();
    const { publishKey } = await publishOnce(x, ada.context);
    expect(await tiktok.publish(x, publishKey, ada.context)).toMatchObject({ is: "processing" });
    expect(await published(ada.username)).toHaveLength(1);
    expect(tiktok.republishAfterMs).toBeGreaterThan(tiktok.publishTimeoutMs);
  });

  it("is given up for a new upload only when its hour is over", async () => {
    const ada = await channel();
    await onCall(ada.username, "upload", { do: "reset_before" });
    const { publishKey } = await publishOnce(x, ada.context);
    expect(await reconcile(publishKey, later(ada.context, HOUR_MS))).toEqual({ is: "not_published" });
    expect(await reconcile(publishKey, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({ is: "void" });
    // Without a count nobody knows what arrived.
    const what = says(200, "ok", { status: "PROCESSING_UPLOAD" });
    await onCall(ada.username, "post/publish/status/fetch", { ...what, count: 2 });
    expect(await reconcile(publishKey, ada.context)).toEqual({ is: "not_published" });
    expect(await reconcile(publishKey, later(ada.context, HOUR_MS + 6 * 60_000))).toMatchObject({ is: "unknown" });
  });

  it.each([400, 403, 404])("answered %i was not taken: it is made ready again", async (status) => {
    const ada = await channel();
    const publishKey = await prepareOnce(tiktok, x, ada.context);
    await onCall(ada.username, "upload", { do: "status", status, body: "" });
    expect(await tiktok.publish(x, publishKey, ada.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    await onCall(ada.username, "upload", { do: "status", status, body: "" });
    await onCall(ada.username, "post/publish/status/fetch", { do: "reset_before" });
    expect(await tiktok.publish(x, publishKey, ada.context)).toMatchObject({ is: "unknown" });
    expect(await published(ada.username)).toEqual([]);
  });

  it("answered 200 by whatever stands before TikTok is not taken for complete, and sent again", async () => {
    const ada = await channel();
    const publishKey = await prepareOnce(tiktok, x, ada.context);
    await onCall(ada.username, "upload", { do: "status", status: 200, body: "<p>Please wait" });
    expect(await tiktok.publish(x, publishKey, ada.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishKey, ada.context)).toEqual({ is: "not_published" });
    expect(await tiktok.publish(x, publishKey, ada.context)).toMatchObject({ is: "processing" });
    expect(await published(ada.username)).toHaveLength(1);
  });

  it("and a refusal for good is a refusal in the end, not unknown", async () => {
    const ada = await channel();
    await onCall(ada.username, "upload", { do: "reset_after_accept" });
    const { publishKey } = await publishOnce(x, ada.context);
    const what = says(200, "ok", { status: "FAILED", fail_reason: "spam_risk_text" });
    await onCall(ada.username, "post/publish/status/fetch", { ...what, count: 2 });
    const first = await reconcile(publishKey, ada.context);
    if (first.is !== "processing") throw new Error(JSON.stringify(first));
    expect(await reconcile(first.publishKey, ada.context)).toMatchObject({ is: "rejected", error: "content_refused" });
  });
});
