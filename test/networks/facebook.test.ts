// The connector of Facebook Pages against its simulator, over HTTP: texts and photos. Videos and sign-in have files of their own.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { account, graphError, onCall, posts, prepareAll, publish, ready, type TestPage } from "./facebook-page.ts";
import { hosted, mp4, png, publication, sumOf } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const photo = (position = 0, alt: string | null = null) => hosted(simulators, png(position, alt));
const reconcile = (publishHandle: Json, { context }: TestPage) => facebook.reconcile?.(publishHandle, context);

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
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "stories", { do: "status", status: 200, body: { data: [] } });
    const sent = await facebook.publish(post, publishHandle, at.context);
    expect(sent).toMatchObject({ is: "live", url: null, urlState: "pending" });
    const id = sent.is === "live" ? sent.id : "";
    expect(await facebook.verify({ id, handle: publishHandle }, at.context)).toMatchObject({
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
    await onCall(simulators, at, "photos", { do: "reset_before", skip: 2 });
    const answers = await prepareAll(publication("three", { media }), at.context, saved);
    expect(answers).toMatchObject([{ is: "retryable", error: "network_unavailable" }, { is: "prepared" }]);
    expect(at.calls.filter(({ url }) => url.endsWith("/photos"))).toHaveLength(4);
    expect(saved.map((publishHandle) => (publishHandle as { photos: object[] }).photos.length)).toEqual([1, 2, 3]);
    expect(await posts(at)).toEqual([]);
  });

  it("that went up without an answer go up again, and the post shows each once", async () => {
    const at = await account();
    const media = [await photo(0), await photo(1)];
    await onCall(simulators, at, "photos", { do: "reset_after_accept", skip: 1 });
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

describe("an answer that was lost", () => {
  const LOST = { do: "reset_after_accept" };

  it("to a text: the post is found by its exact text", async () => {
    const at = await account();
    const post = publication("once, and only once");
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "feed", LOST);
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    const [entry] = await posts(at);
    expect(await reconcile(publishHandle, at)).toEqual({
      is: "live",
      id: entry?.id,
      url: entry?.url,
      urlState: "none",
    });
  });

  it("to a text that was never taken: nobody knows, and an older duplicate is not taken for it", async () => {
    const at = await account();
    const post = publication("good morning");
    await publish(simulators, post, at);
    await publishAnother(at);
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "reset_before" });
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishHandle, at)).toMatchObject({ is: "unknown" });
  });

  /** The network refuses the same text twice in a row. */
  async function publishAnother(at: TestPage): Promise<void> {
    const other = publication("something else");
    expect(await facebook.publish(other, await ready(other, at.context), at.context)).toMatchObject({ is: "live" });
  }

  it("to a text that went out beside another of the same words: a person must look", async () => {
    const at = await account();
    const post = publication("duplicates");
    const publishHandle = await ready(post, at.context);
    await facebook.publish(post, await ready(post, at.context), at.context);
    await publishAnother(at);
    await onCall(simulators, at, "feed", LOST);
    await facebook.publish(post, publishHandle, at.context);
    expect(await posts(at)).toHaveLength(3);
    expect(await reconcile(publishHandle, at)).toMatchObject({
      is: "unknown",
      detail: expect.stringContaining("two posts"),
    });
  });

  it("to a text whose duplicates could not be read: nobody knows", async () => {
    const at = await account();
    const post = publication("unread");
    await onCall(simulators, at, "published_posts", { do: "status", status: 500 });
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "feed", LOST);
    await facebook.publish(post, publishHandle, at.context);
    expect(await reconcile(publishHandle, at)).toMatchObject({ is: "unknown" });
  });

  it("to a text that somebody posts with a photo: that is another post", async () => {
    const at = await account();
    const post = publication("the same words");
    const publishHandle = await ready(post, at.context);
    const withPhoto = publication("the same words", { media: [await photo()] });
    await facebook.publish(withPhoto, await ready(withPhoto, at.context), at.context);
    expect(await reconcile(publishHandle, at)).toMatchObject({ is: "unknown" });
  });

  it.each([1, 3])("to a post with %i images: it is found by its photo", async (count) => {
    const at = await account();
    const media = await Promise.all(Array.from({ length: count }, (_, i) => photo(i)));
    const post = publication("photos", { media });
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "feed", LOST);
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    const [entry] = await posts(at);
    const found = { is: "live", id: entry?.id, url: entry?.url, urlState: "none" };
    expect(await reconcile(publishHandle, at)).toEqual(found);
    // Where the photo does not name its post, the post names its photo.
    await onCall(simulators, at, "node", { do: "status", status: 200, body: { id: "1" } });
    expect(await reconcile(publishHandle, at)).toEqual(found);
  });

  it("to a post with an image that was never taken: nobody knows", async () => {
    const at = await account();
    const post = publication("photo", { media: [await photo()] });
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "reset_before" });
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishHandle, at)).toMatchObject({ is: "unknown" });
  });

  it.each([
    ["taken", LOST, { is: "live", url: expect.stringContaining("/stories/"), urlState: "none" }],
    ["never taken", { do: "reset_before" }, { is: "unknown" }],
  ])("to a story of an image that was %s", async (_, what, outcome) => {
    const at = await account();
    const post = publication("", { media: [await photo()], postType: "story" });
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "photo_stories", what);
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject({ is: "unknown" });
    expect(await reconcile(publishHandle, at)).toMatchObject(outcome);
  });

  it("and a question about it that is not answered is asked again, with a new token if that is why", async () => {
    const at = await account();
    const publishHandle = await ready(publication("x"), at.context);
    await onCall(simulators, at, "published_posts", { do: "status", status: 503 });
    expect(await reconcile(publishHandle, at)).toMatchObject({ is: "retryable" });
    await onCall(simulators, at, "published_posts", { do: "status", status: 401, body: graphError(190, 463) });
    expect(await reconcile(publishHandle, at)).toMatchObject({ is: "unauthorized" });
    await onCall(simulators, at, "published_posts", { do: "status", status: 403, body: graphError(10) });
    expect(await reconcile(publishHandle, at)).toMatchObject({ is: "unknown" });
  });
});

describe("the network's answer to the call that publishes", () => {
  const quota = { is: "retryable", error: "network_quota", notBefore: expect.any(Number) };
  const permission = { is: "rejected", error: "permission_missing" };
  const content = { is: "rejected", error: "content_refused" };
  const media = { is: "rejected", error: "media_refused" };
  const duplicate = { is: "rejected", error: "duplicate_content" };
  const unknown = { is: "unknown" };
  const unauthorized = { is: "unauthorized" };

  it.each([
    [400, 1, undefined, unknown],
    [400, 2, undefined, unknown],
    [500, 1, 99, unknown],
    [503, 100, undefined, unknown],
    [400, 100, 1363047, unknown],
    [400, 1609010, undefined, unknown],
    [400, 4, undefined, quota],
    [400, 17, undefined, quota],
    [400, 32, undefined, quota],
    [400, 341, undefined, quota],
    [400, 613, undefined, quota],
    [400, 80001, undefined, quota],
    [400, 368, undefined, quota],
    [400, 1390008, undefined, quota],
    [400, 368, 1390008, quota],
    [401, 190, undefined, unauthorized],
    [401, 190, 458, unauthorized],
    [401, 190, 460, unauthorized],
    [401, 190, 463, unauthorized],
    [401, 190, 467, unauthorized],
    [401, 190, 492, unauthorized],
    [401, 102, undefined, unauthorized],
    [403, 3, undefined, permission],
    [403, 10, undefined, permission],
    [403, 200, undefined, permission],
    [403, 299, undefined, permission],
    [400, 100, 33, permission],
    [400, 200, 1404078, permission],
    [400, 4854002, undefined, permission],
    [400, 100, 1404112, permission],
    [400, 1404006, undefined, permission],
    [400, 506, 1455006, duplicate],
    [400, 100, 1366051, duplicate],
    [400, 100, undefined, content],
    [400, 1346003, undefined, content],
    [400, 368, 1404102, content],
    [400, 100, 1609008, content],
    [400, 100, 1609005, content],
    [400, 100, 2061006, content],
    [400, 1, 1366046, media],
    [400, 100, 1349125, media],
    [400, 324, 2069019, media],
    [400, 99999, undefined, content],
  ])("HTTP %i with %i/%s is %j", async (status, code, subcode, outcome) => {
    const at = await account();
    const post = publication("x");
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "status", status, body: graphError(code, subcode) });
    const answer = await facebook.publish(post, publishHandle, at.context);
    expect(answer).toMatchObject({
      ...outcome,
      detail: expect.stringContaining(subcode === undefined ? `(${code})` : `${code}/${subcode}`),
    });
    expect(await posts(at)).toEqual([]);
  });

  it.each([
    ["that the network calls passing", 400, graphError(100, undefined, { is_transient: true }), {}, unknown],
    ["of a gateway", 502, "<h1>Bad gateway</h1>", {}, unknown],
    ["of a gateway that limits", 429, "slow down", { "retry-after": "60" }, quota],
    ["of a success that says nothing", 200, "", {}, unknown],
    ["of a success without an id", 200, { ok: true }, {}, unknown],
  ])("an answer %s: HTTP %i", async (_, status, body, headers, outcome) => {
    const at = await account();
    const post = publication("x");
    const publishHandle = await ready(post, at.context);
    await onCall(simulators, at, "feed", { do: "status", status, body, headers });
    expect(await facebook.publish(post, publishHandle, at.context)).toMatchObject(outcome);
  });

  it("says when it may be asked again where the network says so", async () => {
    const at = await account();
    const post = publication("x");
    const publishHandle = await ready(post, at.context);
    const usage = { [at.id]: [{ type: "pages", call_count: 100, estimated_time_to_regain_access: 12 }] };
    const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
    await onCall(simulators, at, "feed", { do: "status", status: 400, body: graphError(80001), headers });
    const before = Date.now();
    const answer = await facebook.publish(post, publishHandle, at.context);
    const notBefore = answer.is === "retryable" ? (answer.notBefore ?? 0) : 0;
    expect(notBefore).toBeGreaterThanOrEqual(before + 12 * 60_000);
    expect(notBefore).toBeLessThanOrEqual(Date.now() + 12 * 60_000);
  });

  it("is tried later when it happens before: nothing is public yet", async () => {
    const at = await account();
    for (const [status, body] of [
      [400, graphError(1)],
      [500, graphError(2)],
      [400, graphError(100, undefined, { is_transient: true })],
      [502, "x"],
    ] as const) {
      await onCall(simulators, at, "photos", { do: "status", status, body });
      const answer = await facebook.prepare(
        publication("x", { media: [await photo()] }),
        at.context,
        null,
        async () => {},
      );
      expect(answer).toMatchObject({ is: "retryable", error: "network_unavailable" });
    }
  });

  it("is a duplicate when the same text is posted twice in a row", async () => {
    const at = await account();
    const post = publication("again");
    await publish(simulators, post, at);
    expect(await facebook.publish(post, await ready(post, at.context), at.context)).toMatchObject(duplicate);
  });
});

describe("a published post", () => {
  it("is there, then gone; a token that lost the Page proves nothing", async () => {
    const at = await account();
    const { live, handle: publishHandle } = await publish(simulators, publication("look"), at);
    const verify = () => facebook.verify({ id: live.id, handle: publishHandle }, at.context);
    expect(await verify()).toEqual({ is: "there", url: live.url });
    expect(await facebook.verify({ id: live.id, handle: null }, at.context)).toEqual({ is: "there", url: live.url });
    const removed = await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(removed.status).toBe(204);
    expect(await verify()).toEqual({ is: "gone" });
    await onCall(simulators, at, "me", { do: "status", status: 401, body: graphError(190, 460) });
    expect(await verify()).toMatchObject({ is: "unknown" });
    for (const what of [
      { do: "status", status: 500 },
      { do: "reset_before" },
      { do: "status", status: 403, body: graphError(10) },
    ]) {
      await onCall(simulators, at, "node", what);
      expect(await verify()).toMatchObject({ is: "unknown" });
    }
  });

  it("that is a story is never called gone: stories leave the list by themselves", async () => {
    const at = await account();
    const { live, handle: publishHandle } = await publish(
      simulators,
      publication("", { media: [await photo()], postType: "story" }),
      at,
    );
    expect(await facebook.verify({ id: live.id, handle: publishHandle }, at.context)).toEqual({
      is: "there",
      url: live.url,
    });
    await fetch(`${simulators.url}/_sim/posts/facebook/${live.id}`, { method: "DELETE" });
    expect(await facebook.verify({ id: live.id, handle: publishHandle }, at.context)).toMatchObject({ is: "unknown" });
  });

  it("has metrics", async () => {
    const at = await account();
    const { live, handle: publishHandle } = await publish(simulators, publication("count me"), at);
    const measured = await facebook.readMetrics?.({ id: live.id, handle: publishHandle }, at.context);
    const number = expect.any(Number);
    const metrics = { views: number, reach: number, clicks: number, likes: number, comments: number, shares: number };
    expect(measured).toEqual({ is: "read", metrics });
  });

  it("has the metrics that are left when one metric is gone, or none may be read", async () => {
    const at = await account();
    const { live, handle: publishHandle } = await publish(simulators, publication("count me"), at);
    const gone = { do: "status", status: 400, body: graphError(100) };
    await onCall(simulators, at, "insights", { ...gone, count: 2 });
    const measured = await facebook.readMetrics?.({ id: live.id, handle: publishHandle }, at.context);
    expect(measured).toMatchObject({ is: "read", metrics: { likes: expect.any(Number) } });
    // All three at once were refused, then one of them alone.
    const metrics = measured?.is === "read" ? measured.metrics : {};
    expect([metrics.views, metrics.reach, metrics.clicks].filter((metric) => metric !== undefined)).toHaveLength(2);
    const blind = await account("~no_read_insights");
    const second = await publish(simulators, publication("count me"), blind);
    const without = await facebook.readMetrics?.({ id: second.live.id, handle: second.handle }, blind.context);
    expect(Object.keys(without?.is === "read" ? without.metrics : {}).sort()).toEqual(["comments", "likes", "shares"]);
    expect(await facebook.readMetrics?.({ id: "1_2", handle: null }, at.context)).toMatchObject({ is: "unknown" });
  });
});
