// The LinkedIn connector with its simulator, over HTTP: publishing, and what it knows afterwards.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { account, refuse } from "./linkedin-account.ts";
import { fault, file, ledger, png, prepareOnce, publication, sha256 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe("publishing on LinkedIn", () => {
  it("publishes a text with hashtags and reserved characters exactly as written", async () => {
    const { handle, context } = await account("page");
    const text = "Ask @someone (really) about <b>, C#, a_b and ~100 * 2 | #crier #news";
    const post = publication(text, { options: { disable_reshare: true } });
    const outcome = await linkedin.publish(post, await prepareOnce(linkedin, post, context), context);
    const [entry] = await ledger(simulators, handle);
    expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    expect(entry).toMatchObject({ text, detail: { visibility: "PUBLIC", noReshare: true, shape: null } });
    expect(entry?.shown.marks.map(({ start, end }) => text.slice(start, end))).toEqual(["#crier", "#news"]);
  });

  it("publishes a mention as the organization's name, and recognizes the text", async () => {
    const { handle, context } = await account("page");
    const found = await linkedin.lookUps?.mention?.list({ q: "acme" }, context);
    if (found?.is !== "options") return expect.fail("no list");
    const text = `With ${found.options[0]?.value} and @[Someone (else)](urn:li:person:a-1)! @[no](mention)`;
    const post = publication(text);
    const publishKey = await prepareOnce(linkedin, post, context);
    const outcome = await linkedin.publish(post, publishKey, context);
    const [entry] = await ledger(simulators, handle);
    expect(entry?.text).toBe("With The acme page and Someone (else)! @[no](mention)");
    expect(entry?.shown.marks.map(({ start, end }) => entry.text.slice(start, end))).toEqual([
      "The acme page",
      "Someone (else)",
    ]);
    if (outcome.is !== "live") return expect.fail(outcome.is);
    const accepted = { text, files: 0, options: {} };
    expect(await linkedin.recheck({ id: outcome.id, publishKey }, context, accepted)).toMatchObject({ altered: [] });
    expect(await linkedin.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: outcome.id });
  });

  it("shows a mention under another name as plain text", async () => {
    const { handle, context } = await account("page");
    const found = await linkedin.lookUps?.mention?.list({ q: "acme" }, context);
    const value = found?.is === "options" ? found.options[0]?.value : undefined;
    const post = publication(`${value?.replace("acme", "ACME")}`);
    await linkedin.publish(post, await prepareOnce(linkedin, post, context), context);
    expect(await ledger(simulators, handle)).toMatchObject([{ text: "The ACME page", shown: { marks: [] } }]);
  });

  it("shares a post again, and reports the network's refusal of one that is gone", async () => {
    const { handle, context } = await account("page");
    const original = publication("original");
    const live = await linkedin.publish(original, await prepareOnce(linkedin, original, context), context);
    if (live.is !== "live") return expect.fail(live.is);
    const again = publication("look", { options: { reshare: live.url } });
    expect((await linkedin.publish(again, await prepareOnce(linkedin, again, context), context)).is).toBe("live");
    expect((await ledger(simulators, handle)).at(-1)).toMatchObject({ text: "look", detail: { reshare_of: live.id } });
    await linkedin.takeDown?.({ id: live.id, publishKey: null }, context);
    const late = publication("too late", { options: { reshare: live.id } });
    expect(await linkedin.publish(late, await prepareOnce(linkedin, late, context), context)).toMatchObject({
      is: "rejected",
      error: "content_refused",
    });
  });

  it.each(["PUBLIC", "CONNECTIONS", "LOGGED_IN"])("publishes a member's post for %s", async (visibility) => {
    const { handle, context } = await account("member");
    const post = publication("to whom", { options: { visibility } });
    expect((await linkedin.publish(post, await prepareOnce(linkedin, post, context), context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toMatchObject([{ detail: { visibility } }]);
  });

  it.each([
    ["a page's post with limited visibility", { visibility: "CONNECTIONS" }],
    ["a card outside of an article", { article: { source: "https://example.com/", title: "T" } }],
  ])("rejects %s", async (_, options) => {
    const { context } = await account("page");
    const outcome = await linkedin.prepare(publication("no", { options }), context, null, async () => {});
    expect(outcome).toMatchObject({ is: "rejected", error: "content_refused" });
  });

  it("publishes one image with title and alt text, and several images in order", async () => {
    const { handle, context } = await account("page");
    const withOneImage = publication("one", { media: [png(0, "a gradient")], options: { media_title: "Title" } });
    const three = publication("three", { media: [png(0, "first"), png(1), png(2, "third")] });
    for (const post of [withOneImage, three])
      await linkedin.publish(post, await prepareOnce(linkedin, post, context), context);
    const [single, several] = await ledger(simulators, handle);
    expect(single).toMatchObject({ media: [{ alt: "a gradient" }], detail: { shape: "media", title: "Title" } });
    expect(several).toMatchObject({ detail: { shape: "multiImage" } });
    expect(several?.media.map((media) => [media.sha256, media.alt])).toEqual(
      await Promise.all(three.media.map(async (media) => [await sha256(media), media.alt])),
    );
  });

  it("does not upload images again that have arrived", async () => {
    const { handle, context, io } = await account("page");
    const post = publication("three", { media: [png(0), png(1), png(2)] });
    await fault(simulators, { platform: "linkedin", account: handle, call: "upload", skip: 1, do: "reset_before" });
    const savedKeys: Json[] = [];
    const save = async (publishKey: Json) => void savedKeys.push(publishKey);
    expect(await linkedin.prepare(post, context, null, save)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    const answer = await linkedin.prepare(post, context, savedKeys.at(-1) ?? null, save);
    if (answer.is !== "prepared") return expect.fail(JSON.stringify(answer));
    expect(io.calls.filter(({ url }) => url.includes("/dms-uploads/"))).toHaveLength(4);
    await linkedin.publish(post, answer.publishKey, context);
    const [entry] = await ledger(simulators, handle);
    expect(entry?.media.map((media) => media.sha256)).toEqual(await Promise.all(post.media.map(sha256)));
  });

  it("uploads an image again that did not arrive although its upload was accepted, and keeps the first image", async () => {
    const { handle, context, io } = await account("page");
    const post = publication("two", { media: [png(0), png(1)] });
    const acceptedAnswer = { do: "status", status: 201, body: {} };
    await fault(simulators, { platform: "linkedin", account: handle, call: "upload", skip: 1, ...acceptedAnswer });
    const savedKeys: Json[] = [];
    const save = async (publishKey: Json) => void savedKeys.push(publishKey);
    const prepareAt = (now: number) =>
      linkedin.prepare(post, { ...context, io: { ...io, now: () => now } }, savedKeys.at(-1) ?? null, save);
    const uploads = () => io.calls.filter(({ url }) => url.includes("/dms-uploads/")).length;
    const startedAt = Date.now();
    for (const minutes of [0, 5]) {
      expect(await prepareAt(startedAt + minutes * 60_000)).toMatchObject({ is: "retryable" });
      expect(uploads()).toBe(2);
    }
    expect(await prepareAt(startedAt + 11 * 60_000)).toMatchObject({
      is: "retryable",
      retryAt: startedAt + 11 * 60_000,
    });
    const answer = await prepareAt(startedAt + 11 * 60_000);
    if (answer.is !== "prepared") return expect.fail(JSON.stringify(answer));
    expect(uploads()).toBe(3);
    await linkedin.publish(post, answer.publishKey, context);
    const [entry] = await ledger(simulators, handle);
    expect(entry?.media.map((media) => media.sha256)).toEqual(await Promise.all(post.media.map(sha256)));
  });

  it("publishes an article as a card with its thumbnail", async () => {
    const { handle, context } = await account("page");
    const article = { source: "https://example.com/a", title: "An article", description: "What it says" };
    const post = publication("read it", { postType: "article", media: [png()], options: { article } });
    expect((await linkedin.publish(post, await prepareOnce(linkedin, post, context), context)).is).toBe("live");
    const [entry] = await ledger(simulators, handle);
    expect(entry).toMatchObject({ media: [{ type: "image/png", alt: null }], detail: { article, shape: "article" } });
  });

  it("publishes a member's image after a while, because its state cannot be read", async () => {
    const { handle, context, io } = await account("member");
    const post = publication("look", { media: [png()] });
    const savedKeys: Json[] = [];
    const waiting = await linkedin.prepare(post, context, null, async (publishKey) => void savedKeys.push(publishKey));
    if (waiting.is !== "retryable") return expect.fail(waiting.is);
    const later: NetworkIO = { ...io, now: () => waiting.retryAt ?? 0 };
    const answer = await linkedin.prepare(post, { ...context, io: later }, savedKeys.at(-1) ?? null, async () => {});
    if (answer.is !== "prepared") return expect.fail(JSON.stringify(answer));
    expect((await linkedin.publish(post, answer.publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it("rejects an image that the network cannot process, and names it", async () => {
    const { context } = await account("page");
    const webp = new Uint8Array(new TextEncoder().encode("RIFF____WEBP"));
    const broken = file(webp, { contentType: "image/webp", position: 1 });
    const outcome = await linkedin.prepare(publication("x", { media: [png(), broken] }), context, null, async () => {});
    expect(outcome).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringContaining("file 2"),
    });
  });

  it("reports a post live even if the network does not report its id", async () => {
    const { handle, context } = await account("page");
    const post = publication("nameless");
    const publishKey = await prepareOnce(linkedin, post, context);
    await fault(simulators, {
      platform: "linkedin",
      account: handle,
      call: "posts/create",
      do: "status_after_accept",
      status: 201,
    });
    const outcome = await linkedin.publish(post, publishKey, context);
    expect(outcome).toMatchObject({ is: "live", url: null, urlState: "not_reported" });
    expect(await ledger(simulators, handle)).toHaveLength(1);
    expect((await linkedin.recheck({ id: "", publishKey }, context)).is).toBe("unknown");
  });
});

describe("a published LinkedIn post", () => {
  async function publishAs(kind: "page" | "member", text = "published") {
    const connected = await account(kind);
    const post = publication(text);
    const publishKey = await prepareOnce(linkedin, post, connected.context);
    const outcome = await linkedin.publish(post, publishKey, connected.context);
    if (outcome.is !== "live") return expect.fail(outcome.is);
    const remove = () =>
      fetch(`${simulators.url}/_sim/posts/linkedin/${encodeURIComponent(outcome.id)}`, { method: "DELETE" });
    return { ...connected, url: outcome.url, published: { id: outcome.id, publishKey }, remove };
  }

  it("of a page is found, has metrics, and is gone after its removal", async () => {
    const { handle, context, published, url, remove } = await publishAs("page");
    expect(await linkedin.recheck(published, context)).toEqual({ is: "there", url });
    expect(await linkedin.readMetrics?.(published, context)).toEqual({
      is: "read",
      metrics: { views: 40, reach: 30, clicks: 5, likes: 0, comments: 2, shares: 1 },
    });
    await refuse(handle, "posts/get", 403, { status: 403, code: "ACCESS_DENIED", message: "no" });
    expect((await linkedin.recheck(published, context)).is).toBe("unknown");
    await remove();
    expect(await linkedin.recheck(published, context)).toEqual({ is: "gone" });
    expect((await linkedin.readMetrics?.(published, context))?.is, "no metrics of what is gone").toBe("unknown");
  });

  it("of a page has metrics of zero if nobody has seen it", async () => {
    const { context, published } = await publishAs("page", "unseen");
    expect(await linkedin.readMetrics?.(published, context)).toMatchObject({
      is: "read",
      metrics: { views: 0, likes: 0 },
    });
  });

  it("of a member has metrics, but its existence cannot be checked", async () => {
    const { context, published, remove } = await publishAs("member");
    const metrics = { views: 10, reach: 9, shares: 8, likes: 7, comments: 6, saves: 5, clicks: 4 };
    expect(await linkedin.readMetrics?.(published, context)).toEqual({ is: "read", metrics });
    expect((await linkedin.recheck(published, context)).is).toBe("unknown");
    await remove();
    expect((await linkedin.recheck(published, context)).is).toBe("unknown");
  });

  it("has unknown metrics, not zeros, if the token may not read them", async () => {
    for (const [kind, call] of [
      ["page", "organizationalEntityShareStatistics"],
      ["member", "memberCreatorPostAnalytics"],
    ] as const) {
      const { handle, context, published } = await publishAs(kind);
      await refuse(handle, call, 403, { status: 403, code: "ACCESS_DENIED", message: "no" });
      expect((await linkedin.readMetrics?.(published, context))?.is).toBe("unknown");
    }
  });
});
