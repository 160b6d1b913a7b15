// The X connector with its simulator, over HTTP: publishing, and what it knows afterwards.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { x } from "../../src/networks/x/index.ts";
import { computeSegmentBytes } from "../../src/networks/x/media.ts";
import { fault, file, ledger, makeUnreadable, mp4, png, prepareOnce, publication, sha256 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { account, prepareKey, refuse } from "./x-account.ts";

withSimulators();

const MIB = 1024 * 1024;
const GIF = new Uint8Array(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));

describe("publishing on X", () => {
  it("publishes a text unchanged, with its options", async () => {
    const { name, context } = await account();
    const text = "Grüß 中文 👩‍👩‍👧 example.com/a_b & <c> #tag @ada";
    const options = { reply_settings: "following", made_with_ai: true };
    const outcome = await x.publish(
      publication(text, { options }),
      await prepareOnce(x, publication(text), context),
      context,
    );
    const [entry] = await ledger(simulators, name);
    expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    expect(entry).toMatchObject({ text, detail: options });
  });

  it("publishes four images with alt text in order, and continues after the uploaded ones after a restart", async () => {
    const { name, context, io } = await account();
    const media = [0, 1, 2, 3].map((i) => png(i, i === 2 ? null : `image ${i}`));
    const broken = publication("four", {
      media: [media[0], media[1], makeUnreadable(media[2] ?? png(), true)].flatMap((m) => m ?? []),
    });
    const savedKeys: Json[] = [];
    await x.prepare(broken, context, null, async (publishKey) => void savedKeys.push(publishKey)).catch(() => {});
    const uploads = io.calls.filter(({ url }) => url.endsWith("/2/media/upload")).length;
    const publishKey = await prepareKey(publication("four", { media }), context, savedKeys);
    const again = io.calls.filter(({ url }) => url.endsWith("/2/media/upload")).length - uploads;
    expect(again, "the first two were there").toBe(2);
    expect((await x.publish(publication("four", { media }), publishKey, context)).is).toBe("live");
    const [entry] = await ledger(simulators, name);
    expect(entry?.media.map(({ sha256 }) => sha256)).toEqual(await Promise.all(media.map(sha256)));
    expect(entry?.media.map(({ alt }) => alt)).toEqual(["image 0", "image 1", null, "image 3"]);
  });

  it("publishes a single GIF", async () => {
    const { name, context } = await account();
    const post = publication("", { media: [file(GIF, { contentType: "image/gif" })] });
    expect((await x.publish(post, await prepareKey(post, context), context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { text: "", media: [{ type: "image/gif", bytes: GIF.byteLength }] },
    ]);
  });

  it.each([
    [MIB, 200],
    [MIB + 1, 431],
  ])("gets a status for a segment of %i bytes: %i", async (bytes, status) => {
    const { name } = await account();
    const call = async (path: string, body: string | FormData) => {
      const headers = {
        authorization: `Bearer access-for-${name}`,
        ...(typeof body === "string" && { "content-type": "application/json" }),
      };
      const answer = await fetch(`${simulators.url}/x/2/media/upload${path}`, { method: "POST", headers, body });
      return { status: answer.status, body: Object(await answer.json()) };
    };
    const opening = { media_type: "video/mp4", total_bytes: 3 * MIB, media_category: "tweet_video" };
    const { id } = Object((await call("/initialize", JSON.stringify(opening))).body.data);
    const form = new FormData();
    form.set("segment_index", "0");
    form.set("media", new Blob([new Uint8Array(bytes)]));
    expect((await call(`/${id}/append`, form)).status).toBe(status);
  });

  it("uploads a video in segments of 1 MiB with a checkpoint after every fourth, and a restart starts no second upload", async () => {
    const { name, context, io } = await account();
    const video = mp4(9 * MIB + 5);
    const post = publication("moving", { media: [video] });
    const savedKeys: Json[] = [];
    await fault(simulators, { platform: "x", account: name, call: "media/append", skip: 9, do: "reset_before" });
    const first = await x.prepare(post, context, null, async (publishKey) => void savedKeys.push(publishKey));
    expect(first).toMatchObject({ is: "retryable" });
    expect(savedKeys, "the upload, and every fourth segment").toHaveLength(3);
    const publishKey = await prepareKey(post, context, savedKeys);
    const opened = io.calls.filter(({ url }) => url.endsWith("/initialize")).length;
    const segments = io.calls.filter(({ url }) => url.endsWith("/append")).length;
    expect([opened, segments], "one upload, ten segments, the ninth and the tenth twice").toEqual([1, 12]);
    expect((await x.publish(post, publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { media: [{ bytes: video.bytes, sha256: await sha256(video) }] },
    ]);
  });

  it("starts an upload again once if the network has forgotten it, and then rejects the file", async () => {
    const { name, context } = await account();
    const post = publication("moving", { media: [mp4(5 * MIB)] });
    const savedKeys: Json[] = [];
    const save = async (publishKey: Json) => void savedKeys.push(publishKey);
    const expired = {
      title: "Invalid Request",
      detail: "expired",
      type: "https://api.x.com/2/problems/invalid-request",
    };
    await fault(simulators, { platform: "x", account: name, call: "media/append", skip: 1, do: "reset_before" });
    await x.prepare(post, context, null, save);
    await refuse(name, "media/append", 400, expired);
    expect(await x.prepare(post, context, savedKeys.at(-1) ?? null, save)).toMatchObject({
      is: "retryable",
      detail: expect.stringContaining("again"),
    });
    await refuse(name, "media/append", 400, expired);
    const refused = await x.prepare(post, context, savedKeys.at(-1) ?? null, save);
    expect(refused).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringContaining("file 1 (med_"),
    });
  });

  it("uploads the largest allowed video in at most a thousand segments, and uses small segments as long as possible", async () => {
    const max = x.rule.video?.max_bytes ?? 0;
    for (const bytes of [1, 9 * MIB, 1_000 * MIB, 1_000 * MIB + 1, max, 16 * 1024 * MIB])
      expect(Math.ceil(bytes / computeSegmentBytes(bytes)), String(bytes)).toBeLessThanOrEqual(1_000);
    expect(computeSegmentBytes(1_000 * MIB)).toBe(MIB);
    const { context } = await account();
    const ranges: unknown[] = [];
    const large: MediaFile = {
      ...mp4(100),
      bytes: max,
      open: async (range) => {
        ranges.push(range);
        return Promise.reject(new Error("enough"));
      },
    };
    const startedKey = { step: "upload", media_ids: [], current: { media_id: "1", sent: 953, closed: false } };
    await x.prepare(publication("", { media: [large] }), context, startedKey, async () => {}).catch(() => {});
    expect(ranges).toEqual([{ offset: 953 * 8 * MIB, length: max - 953 * 8 * MIB }]);
  });

  it.each([
    ["a problem", { errors: [{ title: "Bad", detail: "Unsupported codec", type: "about:blank" }] }, {}],
    ["the old API's error", {}, { error: { code: 1, name: "InvalidMedia", message: "Unsupported codec" } }],
  ])(
    "rejects a video that the network cannot process, with the reason that %s names",
    async (_, outerFields, innerFields) => {
      const { name, context } = await account();
      const data = { id: "1", processing_info: { state: "failed", progress_percent: 12, ...innerFields } };
      await refuse(name, "media/status", 200, { data, ...outerFields });
      const post = publication("moving", { media: [mp4(1_000)] });
      await expect(prepareKey(post, context)).rejects.toThrow(/"media_refused".*Unsupported codec/);
    },
  );

  it("publishes an article with its title and cover", async () => {
    const { name, context } = await account();
    const post = publication("First line\n\nThird line", {
      postType: "article",
      options: { title: "A title" },
      media: [png()],
    });
    expect((await x.publish(post, await prepareKey(post, context), context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { text: "First line\n\nThird line", detail: { article: "A title" }, media: [{ type: "image/png" }] },
    ]);
  });

  it("rejects an exact repetition of a post as a duplicate", async () => {
    const { context } = await account();
    const post = publication("once");
    await x.publish(post, await prepareOnce(x, post, context), context);
    const again = await x.publish(post, await prepareOnce(x, post, context), context);
    expect(again).toMatchObject({ is: "rejected", error: "duplicate_content" });
  });
});

describe("a published X post", () => {
  it("is found until it is removed, and has metrics", async () => {
    const { name, context } = await account();
    const post = publication("look");
    const publishKey = await prepareOnce(x, post, context);
    const outcome = await x.publish(post, publishKey, context);
    if (outcome.is !== "live") return expect.fail(outcome.is);
    const published = { id: outcome.id, publishKey };
    expect(await x.recheck(published, context)).toEqual({ is: "there", url: outcome.url });
    expect(await x.readMetrics?.(published, context)).toEqual({
      is: "read",
      metrics: { views: 90, likes: 7, comments: 2, reposts: 1, quotes: 0, saves: 3 },
    });
    // The field names of X's guides.
    const old = { data: [{ id: outcome.id, public_metrics: { retweet_count: 5, like_count: 1 } }] };
    await refuse(name, "tweets/lookup", 200, old);
    expect(await x.readMetrics?.(published, context)).toEqual({ is: "read", metrics: { reposts: 5, likes: 1 } });
    const hidden = {
      errors: [{ title: "Authorization Error", type: "https://api.x.com/2/problems/not-authorized-for-resource" }],
    };
    await refuse(name, "tweets/lookup", 200, hidden);
    expect((await x.recheck(published, context)).is).toBe("unknown");
    await fetch(`${simulators.url}/_sim/posts/x/${outcome.id}`, { method: "DELETE" });
    expect(await x.recheck(published, context)).toEqual({ is: "gone" });
  });
});
