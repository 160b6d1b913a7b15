// The connector of Facebook Pages with its simulator, over HTTP: texts and photos, from publishing to removal.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { account, faultCall, graphError, page, photo, posts, prepareAll, publish, ready } from "./facebook-page.ts";
import { computeSum, hostFile, mp4, png, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

it("redacts a token that Meta repeats in an error message", async () => {
  const testPage = await account();
  const token = `EAAB${"aZ09_-".repeat(30)}`;
  const post = publication("x");
  const publishKey = await ready(post, testPage.context);
  const body = { error: { code: 190, message: `Malformed access token ${token}` } };
  await faultCall(simulators, testPage, "feed", { do: "status", status: 401, body });
  expect(await facebook.publish(post, publishKey, testPage.context)).toEqual({
    is: "unauthorized",
    networkMessage: "Malformed access token … (190)",
  });
});

describe("a Facebook post", () => {
  it("contains the text exactly as written, with the card of its link", async () => {
    const text = 'Für später: 👩‍👩‍👧 \\ "quoted" & <b>plain</b>\n\n#crier https://example.com/ä';
    const options = { link: "https://example.com/card" };
    const { entry } = await publish(simulators, publication(text, { options }), await account());
    expect(entry).toMatchObject({ text, media: [], detail: { link: options.link } });
  });

  it("shows one image with its alt text, byte for byte, and only the post itself is public", async () => {
    const image = await photo(0, "a gradient");
    const { entry } = await publish(simulators, publication("one", { media: [image] }), await account());
    expect(entry).toMatchObject({
      text: "one",
      media: [{ ...(await computeSum(image)), type: "image/png", alt: "a gradient" }],
    });
  });

  it("shows ten images in order as a carousel", async () => {
    const media = await Promise.all(Array.from({ length: 10 }, (_, i) => photo(i, i % 2 ? `image ${i}` : null)));
    const post = publication("ten", { media, postType: "carousel" });
    const { entry } = await publish(simulators, post, await account());
    const sums = await Promise.all(media.map(computeSum));
    expect(entry.media).toMatchObject(sums.map((file, i) => ({ ...file, alt: media[i]?.alt ?? null })));
  });

  it("can be a story with one image and no text", async () => {
    const image = await photo();
    const post = publication("", { media: [image], postType: "story" });
    const { entry, live } = await publish(simulators, post, await account());
    expect(entry).toMatchObject({ text: "", media: [await computeSum(image)], detail: { story: true } });
    expect(live.url).toContain("/stories/");
  });

  it("gets its URL later if it is a story that is not listed yet", async () => {
    const testPage = await account();
    const post = publication("", { media: [await photo()], postType: "story" });
    const publishKey = await ready(post, testPage.context);
    await faultCall(simulators, testPage, "stories", { do: "status", status: 200, body: { data: [] } });
    const outcome = await facebook.publish(post, publishKey, testPage.context);
    expect(outcome).toMatchObject({ is: "live", url: null, urlState: "pending" });
    const id = outcome.is === "live" ? outcome.id : "";
    expect(await facebook.recheck({ id, publishKey }, testPage.context)).toMatchObject({
      is: "there",
      url: expect.stringContaining(id),
    });
  });

  it("may have a title only if it is a video", async () => {
    const { context } = await account();
    const answers = await prepareAll(publication("x", { options: { title: "T" } }), context);
    expect(answers).toMatchObject([
      { is: "rejected", error: "content_refused", detail: expect.stringContaining("title") },
    ]);
  });

  it("never contains a token in the URL of a call", async () => {
    const { calls, context } = await account();
    await ready(publication("x", { media: [await photo()] }), context);
    expect(calls.filter(({ url }) => url.includes("EAA") && !url.includes("debug_token"))).toEqual([]);
  });
});

describe("the photos of a Facebook post", () => {
  it("are checkpoints: after a crash only the missing photos are uploaded", async () => {
    const testPage = await account();
    const media = [await photo(0), await photo(1), await photo(2)];
    const savedKeys: Json[] = [];
    await faultCall(simulators, testPage, "photos", { do: "reset_before", skip: 2 });
    const answers = await prepareAll(publication("three", { media }), testPage.context, savedKeys);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(testPage.calls.filter(({ url }) => url.endsWith("/photos"))).toHaveLength(4);
    expect(savedKeys.map((publishKey) => (publishKey as { photos: object[] }).photos.length)).toEqual([1, 2, 3]);
    expect(await posts(testPage)).toEqual([]);
  });

  it("are uploaded again if there was no answer, and the post shows each photo once", async () => {
    const testPage = await account();
    const media = [await photo(0), await photo(1)];
    await faultCall(simulators, testPage, "photos", { do: "reset_after_accept", skip: 1 });
    const post = publication("two", { media });
    const { entry } = await publish(simulators, post, testPage);
    expect(entry.media).toHaveLength(2);
  });

  it.each([
    ["a file that cannot be fetched", png(1), "file 2 (med_"],
    ["a file that is no image", mp4(2_000, { position: 1, kind: "image" }), "file 2 (med_"],
  ])("are rejected with the file's name because of %s", async (_, second, fileName) => {
    const { context } = await account();
    const bad =
      second.contentType === "image/png"
        ? { ...second, url: "https://media.crier.test/none" }
        : await hostFile(simulators, second);
    const answers = await prepareAll(publication("x", { media: [await photo(), bad] }), context);
    expect(answers).toMatchObject([
      { is: "rejected", error: "media_refused", detail: expect.stringContaining(fileName) },
    ]);
  });
});

describe("a published Facebook post", () => {
  it("is found, then reported as gone, and a token that lost the Page proves nothing", async () => {
    const testPage = await account();
    await publish(simulators, publication("an older post"), testPage);
    const { live, publishKey } = await publish(simulators, publication("look"), testPage);
    const recheck = () => facebook.recheck({ id: live.id, publishKey }, testPage.context);
    expect(await recheck()).toEqual({ is: "there", url: live.url });
    expect(await facebook.recheck({ id: live.id, publishKey: null }, testPage.context)).toEqual({
      is: "there",
      url: live.url,
    });
    const removed = await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(removed.status).toBe(204);
    expect(await recheck()).toEqual({ is: "gone", confirmAfterMs: 86_400_000 });
    await faultCall(simulators, testPage, "me", { do: "status", status: 401, body: graphError(190, 460) });
    expect(await recheck()).toMatchObject({ is: "unknown" });
    for (const answer of [
      { do: "status", status: 500 },
      { do: "reset_before" },
      { do: "status", status: 403, body: graphError(10) },
    ]) {
      await faultCall(simulators, testPage, "node", answer);
      expect(await recheck()).toMatchObject({ is: "unknown" });
    }
  });

  it("is not reported as gone if no other post can be read, as in an outage", async () => {
    const testPage = await page(simulators, "", "user", unique("outage_100_33_"));
    await publish(simulators, publication("an older post"), testPage);
    const { live, publishKey } = await publish(simulators, publication("look"), testPage);
    expect(await facebook.recheck({ id: live.id, publishKey }, testPage.context)).toMatchObject({ is: "unknown" });
  });

  it("is not reported as gone if it is the only post of its Page, because no other post can be read", async () => {
    const testPage = await account();
    const { live, publishKey } = await publish(simulators, publication("alone"), testPage);
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await facebook.recheck({ id: live.id, publishKey }, testPage.context)).toMatchObject({ is: "unknown" });
  });

  it("is never reported as gone if it is a story, because stories expire by themselves", async () => {
    const testPage = await account();
    const { live, publishKey } = await publish(
      simulators,
      publication("", { media: [await photo()], postType: "story" }),
      testPage,
    );
    expect(await facebook.recheck({ id: live.id, publishKey }, testPage.context)).toEqual({
      is: "there",
      url: live.url,
    });
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await facebook.recheck({ id: live.id, publishKey }, testPage.context)).toMatchObject({ is: "unknown" });
  });

  it("has all metrics of Facebook", async () => {
    const testPage = await account();
    const { live, publishKey } = await publish(simulators, publication("count me"), testPage);
    const measured = await facebook.readMetrics?.({ id: live.id, publishKey }, testPage.context);
    const number = expect.any(Number);
    const metrics = { views: number, reach: number, clicks: number, likes: number, comments: number, shares: number };
    expect(measured).toEqual({ is: "read", metrics });
  });

  it("has the remaining metrics if one no longer exists or the token may not read insights", async () => {
    const testPage = await account();
    const { live, publishKey } = await publish(simulators, publication("count me"), testPage);
    const missingMetric = { do: "status", status: 400, body: graphError(100) };
    await faultCall(simulators, testPage, "insights", { ...missingMetric, count: 2 });
    const measured = await facebook.readMetrics?.({ id: live.id, publishKey }, testPage.context);
    expect(measured).toMatchObject({ is: "read", metrics: { likes: expect.any(Number) } });
    // Facebook first rejected all three metrics together, then one of them alone.
    const metrics = measured?.is === "read" ? measured.metrics : {};
    expect([metrics.views, metrics.reach, metrics.clicks].filter((metric) => metric !== undefined)).toHaveLength(2);
    const blind = await account("~no_read_insights");
    const second = await publish(simulators, publication("count me"), blind);
    const without = await facebook.readMetrics?.({ id: second.live.id, publishKey: second.publishKey }, blind.context);
    expect(Object.keys(without?.is === "read" ? without.metrics : {}).sort()).toEqual(["comments", "likes", "shares"]);
    expect(await facebook.readMetrics?.({ id: "1_2", publishKey: null }, testPage.context)).toMatchObject({
      is: "unknown",
    });
  });
});
