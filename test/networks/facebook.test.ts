// The connector of Facebook Pages against its simulator, over HTTP: texts and photos, until they are gone.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { account, faultCall, graphError, page, photo, posts, prepareAll, publish, ready } from "./facebook-page.ts";
import { hosted, mp4, png, publication, sumOf, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

it("a token that Meta repeats appears nowhere", async () => {
  const at = await account();
  const token = `EAAB${"aZ09_-".repeat(30)}`;
  const post = publication("x");
  const publishKey = await ready(post, at.context);
  const body = { error: { code: 190, message: `Malformed access token ${token}` } };
  await faultCall(simulators, at, "feed", { do: "status", status: 401, body });
  expect(await facebook.publish(post, publishKey, at.context)).toEqual({
    is: "unauthorized",
    networkMessage: "Malformed access token … (190)",
  });
});

describe("a post", () => {
  it("is the text exactly as written, with the card of its link", async () => {
    const text = 'Für später: 👩‍👩‍👧 \\ "quoted" & <b>plain</b>\n\n#crier https://example.com/ä';
    const options = { link: "https://example.com/card" };
    const { entry } = await publish(simulators, publication(text, { options }), await account());
    expect(entry).toMatchObject({ text, media: [], detail: { link: options.link } });
  });

  it("shows one image with its alt text, byte for byte, and only the post itself was public", async () => {
    const image = await photo(0, "a gradient");
    const { entry } = await publish(simulators, publication("one", { media: [image] }), await account());
    expect(entry).toMatchObject({
      text: "one",
      media: [{ ...(await sumOf(image)), type: "image/png", alt: "a gradient" }],
    });
  });

  it("shows ten images in order as a carousel", async () => {
    const media = await Promise.all(Array.from({ length: 10 }, (_, i) => photo(i, i % 2 ? `image ${i}` : null)));
    const post = publication("ten", { media, postType: "carousel" });
    const { entry } = await publish(simulators, post, await account());
    const sums = await Promise.all(media.map(sumOf));
    expect(entry.media).toMatchObject(sums.map((file, i) => ({ ...file, alt: media[i]?.alt ?? null })));
  });

  it("is a story of one image, without text", async () => {
    const image = await photo();
    const post = publication("", { media: [image], postType: "story" });
    const { entry, live } = await publish(simulators, post, await account());
    expect(entry).toMatchObject({ text: "", media: [await sumOf(image)], detail: { story: true } });
    expect(live.url).toContain("/stories/");
  });

  it("is a story whose address comes later when it is not listed yet", async () => {
    const at = await account();
    const post = publication("", { media: [await photo()], postType: "story" });
    const publishKey = await ready(post, at.context);
    await faultCall(simulators, at, "stories", { do: "status", status: 200, body: { data: [] } });
    const sent = await facebook.publish(post, publishKey, at.context);
    expect(sent).toMatchObject({ is: "live", url: null, urlState: "pending" });
    const id = sent.is === "live" ? sent.id : "";
    expect(await facebook.verify({ id, publishKey }, at.context)).toMatchObject({
      is: "there",
      url: expect.stringContaining(id),
    });
  });

  it("has a title only where it is a video", async () => {
    const { context } = await account();
    const answers = await prepareAll(publication("x", { options: { title: "T" } }), context);
    expect(answers).toMatchObject([
      { is: "rejected", error: "content_refused", detail: expect.stringContaining("title") },
    ]);
  });

  it("never has a token in an address", async () => {
    const { calls, context } = await account();
    await ready(publication("x", { media: [await photo()] }), context);
    expect(calls.filter(({ url }) => url.includes("EAA") && !url.includes("debug_token"))).toEqual([]);
  });
});

describe("photos that go up before the post", () => {
  it("are checkpoints: after a crash only the missing ones go up", async () => {
    const at = await account();
    const media = [await photo(0), await photo(1), await photo(2)];
    const saved: Json[] = [];
    await faultCall(simulators, at, "photos", { do: "reset_before", skip: 2 });
    const answers = await prepareAll(publication("three", { media }), at.context, saved);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(at.calls.filter(({ url }) => url.endsWith("/photos"))).toHaveLength(4);
    expect(saved.map((publishKey) => (publishKey as { photos: object[] }).photos.length)).toEqual([1, 2, 3]);
    expect(await posts(at)).toEqual([]);
  });

  it("that went up without an answer go up again, and the post shows each once", async () => {
    const at = await account();
    const media = [await photo(0), await photo(1)];
    await faultCall(simulators, at, "photos", { do: "reset_after_accept", skip: 1 });
    const post = publication("two", { media });
    const { entry } = await publish(simulators, post, at);
    expect(entry.media).toHaveLength(2);
  });

  it.each([
    ["a file that nobody can fetch", png(1), "file 2 (med_"],
    ["a file that is no image", mp4(2_000, { position: 1, kind: "image" }), "file 2 (med_"],
  ])("%s is refused by its name", async (_, second, named) => {
    const { context } = await account();
    const bad =
      second.contentType === "image/png"
        ? { ...second, url: "https://media.crier.test/none" }
        : await hosted(simulators, second);
    const answers = await prepareAll(publication("x", { media: [await photo(), bad] }), context);
    expect(answers).toMatchObject([{ is: "rejected", error: "media_refused", detail: expect.stringContaining(named) }]);
  });
});

describe("a published post", () => {
  it("is there, then gone; a token that lost the Page proves nothing", async () => {
    const at = await account();
    await publish(simulators, publication("an older post"), at);
    const { live, publishKey } = await publish(simulators, publication("look"), at);
    const verify = () => facebook.verify({ id: live.id, publishKey }, at.context);
    expect(await verify()).toEqual({ is: "there", url: live.url });
    expect(await facebook.verify({ id: live.id, publishKey: null }, at.context)).toEqual({
      is: "there",
      url: live.url,
    });
    const removed = await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(removed.status).toBe(204);
    expect(await verify()).toEqual({ is: "gone", confirmAfterMs: 86_400_000 });
    await faultCall(simulators, at, "me", { do: "status", status: 401, body: graphError(190, 460) });
    expect(await verify()).toMatchObject({ is: "unknown" });
    for (const what of [
      { do: "status", status: 500 },
      { do: "reset_before" },
      { do: "status", status: 403, body: graphError(10) },
    ]) {
      await faultCall(simulators, at, "node", what);
      expect(await verify()).toMatchObject({ is: "unknown" });
    }
  });

  it("is not called gone while no other post can be read either, as in an outage", async () => {
    const at = await page(simulators, "", "user", unique("outage_100_33_"));
    await publish(simulators, publication("an older post"), at);
    const { live, publishKey } = await publish(simulators, publication("look"), at);
    expect(await facebook.verify({ id: live.id, publishKey }, at.context)).toMatchObject({ is: "unknown" });
  });

  it("that is the only one of its Page is not called gone: nothing else can be asked", async () => {
    const at = await account();
    const { live, publishKey } = await publish(simulators, publication("alone"), at);
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await facebook.verify({ id: live.id, publishKey }, at.context)).toMatchObject({ is: "unknown" });
  });

  it("that is a story is never called gone: stories leave the list by themselves", async () => {
    const at = await account();
    const { live, publishKey } = await publish(
      simulators,
      publication("", { media: [await photo()], postType: "story" }),
      at,
    );
    expect(await facebook.verify({ id: live.id, publishKey }, at.context)).toEqual({
      is: "there",
      url: live.url,
    });
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await facebook.verify({ id: live.id, publishKey }, at.context)).toMatchObject({ is: "unknown" });
  });

  it("has metrics", async () => {
    const at = await account();
    const { live, publishKey } = await publish(simulators, publication("count me"), at);
    const measured = await facebook.readMetrics?.({ id: live.id, publishKey }, at.context);
    const number = expect.any(Number);
    const metrics = { views: number, reach: number, clicks: number, likes: number, comments: number, shares: number };
    expect(measured).toEqual({ is: "read", metrics });
  });

  it("has the metrics that are left when one metric is gone, or none may be read", async () => {
    const at = await account();
    const { live, publishKey } = await publish(simulators, publication("count me"), at);
    const gone = { do: "status", status: 400, body: graphError(100) };
    await faultCall(simulators, at, "insights", { ...gone, count: 2 });
    const measured = await facebook.readMetrics?.({ id: live.id, publishKey }, at.context);
    expect(measured).toMatchObject({ is: "read", metrics: { likes: expect.any(Number) } });
    // All three at once were refused, then one of them alone.
    const metrics = measured?.is === "read" ? measured.metrics : {};
    expect([metrics.views, metrics.reach, metrics.clicks].filter((metric) => metric !== undefined)).toHaveLength(2);
    const blind = await account("~no_read_insights");
    const second = await publish(simulators, publication("count me"), blind);
    const without = await facebook.readMetrics?.({ id: second.live.id, publishKey: second.publishKey }, blind.context);
    expect(Object.keys(without?.is === "read" ? without.metrics : {}).sort()).toEqual(["comments", "likes", "shares"]);
    expect(await facebook.readMetrics?.({ id: "1_2", publishKey: null }, at.context)).toMatchObject({ is: "unknown" });
  });
});
