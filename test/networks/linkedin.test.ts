// The connector of LinkedIn against its simulator, over HTTP: what goes out, and what is known afterwards.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { account, refuse } from "./linkedin-account.ts";
import { fault, file, ledger, png, prepared, publication, sha256 } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe("publishing", () => {
  it("a text with hashtags and reserved characters, exactly as written", async () => {
    const { handle, context } = await account("page");
    const text = "Ask @someone (really) about <b>, C#, a_b and ~100 * 2 | #crier #news";
    const post = publication(text, { options: { disable_reshare: true } });
    const outcome = await linkedin.publish(post, await prepared(linkedin, post, context), context);
    const [entry] = await ledger(simulators, handle);
    expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    expect(entry).toMatchObject({ text, detail: { visibility: "PUBLIC", noReshare: true, shape: null } });
    expect(entry?.shown.marks.map(({ start, end }) => text.slice(start, end))).toEqual(["#crier", "#news"]);
  });

  it.each(["PUBLIC", "CONNECTIONS", "LOGGED_IN"])("by a member for %s", async (visibility) => {
    const { handle, context } = await account("member");
    const post = publication("to whom", { options: { visibility } });
    expect((await linkedin.publish(post, await prepared(linkedin, post, context), context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toMatchObject([{ detail: { visibility } }]);
  });

  it.each([
    ["a page's post for few", { visibility: "CONNECTIONS" }],
    ["a card outside of an article", { article: { source: "https://example.com/", title: "T" } }],
  ])("not %s", async (_, options) => {
    const { context } = await account("page");
    const outcome = await linkedin.prepare(publication("no", { options }), context, null, async () => {});
    expect(outcome).toMatchObject({ is: "rejected", error: "content_refused" });
  });

  it("one image with title and alt text, and several in order", async () => {
    const { handle, context } = await account("page");
    const one = publication("one", { media: [png(0, "a gradient")], options: { media_title: "Title" } });
    const three = publication("three", { media: [png(0, "first"), png(1), png(2, "third")] });
    for (const post of [one, three]) await linkedin.publish(post, await prepared(linkedin, post, context), context);
    const [single, several] = await ledger(simulators, handle);
    expect(single).toMatchObject({ media: [{ alt: "a gradient" }], detail: { shape: "media", title: "Title" } });
    expect(several).toMatchObject({ detail: { shape: "multiImage" } });
    expect(several?.media.map((of) => [of.sha256, of.alt])).toEqual(
      await Promise.all(three.media.map(async (of) => [await sha256(of), of.alt])),
    );
  });

  it("images that are there already are not uploaded again", async () => {
    const { handle, context, io } = await account("page");
    const post = publication("three", { media: [png(0), png(1), png(2)] });
    await fault(simulators, { platform: "linkedin", account: handle, call: "upload", skip: 1, do: "reset_before" });
    const saved: Json[] = [];
    const save = async (publishKey: Json) => void saved.push(publishKey);
    expect(await linkedin.prepare(post, context, null, save)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    const ready = await linkedin.prepare(post, context, saved.at(-1) ?? null, save);
    if (ready.is !== "prepared") return expect.fail(JSON.stringify(ready));
    expect(io.calls.filter(({ url }) => url.includes("/dms-uploads/"))).toHaveLength(4);
    await linkedin.publish(post, ready.publishKey, context);
    const [entry] = await ledger(simulators, handle);
    expect(entry?.media.map((of) => of.sha256)).toEqual(await Promise.all(post.media.map(sha256)));
  });

  it("an image that never got there though its upload was taken is uploaded again, and the first stays", async () => {
    const { handle, context, io } = await account("page");
    const post = publication("two", { media: [png(0), png(1)] });
    const taken = { do: "status", status: 201, body: {} };
    await fault(simulators, { platform: "linkedin", account: handle, call: "upload", skip: 1, ...taken });
    const saved: Json[] = [];
    const save = async (publishKey: Json) => void saved.push(publishKey);
    const prepareAt = (now: number) =>
      linkedin.prepare(post, { ...context, io: { ...io, now: () => now } }, saved.at(-1) ?? null, save);
    const uploads = () => io.calls.filter(({ url }) => url.includes("/dms-uploads/")).length;
    const begunAt = Date.now();
    for (const minutes of [0, 5]) {
      expect(await prepareAt(begunAt + minutes * 60_000)).toMatchObject({ is: "retryable" });
      expect(uploads()).toBe(2);
    }
    expect(await prepareAt(begunAt + 11 * 60_000)).toMatchObject({ is: "retryable", retryAt: begunAt + 11 * 60_000 });
    const ready = await prepareAt(begunAt + 11 * 60_000);
    if (ready.is !== "prepared") return expect.fail(JSON.stringify(ready));
    expect(uploads()).toBe(3);
    await linkedin.publish(post, ready.publishKey, context);
    const [entry] = await ledger(simulators, handle);
    expect(entry?.media.map((of) => of.sha256)).toEqual(await Promise.all(post.media.map(sha256)));
  });

  it("an article as a card with its thumbnail", async () => {
    const { handle, context } = await account("page");
    const article = { source: "https://example.com/a", title: "An article", description: "What it says" };
    const post = publication("read it", { postType: "article", media: [png()], options: { article } });
    expect((await linkedin.publish(post, await prepared(linkedin, post, context), context)).is).toBe("live");
    const [entry] = await ledger(simulators, handle);
    expect(entry).toMatchObject({ media: [{ type: "image/png", alt: null }], detail: { article, shape: "article" } });
  });

  it("a member's image after a while, because its state may not be read", async () => {
    const { handle, context, io } = await account("member");
    const post = publication("look", { media: [png()] });
    const saved: Json[] = [];
    const waiting = await linkedin.prepare(post, context, null, async (publishKey) => void saved.push(publishKey));
    if (waiting.is !== "retryable") return expect.fail(waiting.is);
    const later: NetworkIO = { ...io, now: () => waiting.retryAt ?? 0 };
    const ready = await linkedin.prepare(post, { ...context, io: later }, saved.at(-1) ?? null, async () => {});
    if (ready.is !== "prepared") return expect.fail(JSON.stringify(ready));
    expect((await linkedin.publish(post, ready.publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, handle)).toHaveLength(1);
  });

  it("not with an image that the network cannot use, and says which", async () => {
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

  it("even when the network does not say under which name", async () => {
    const { handle, context } = await account("page");
    const post = publication("nameless");
    const publishKey = await prepared(linkedin, post, context);
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
    expect((await linkedin.verify({ id: "", publishKey }, context)).is).toBe("unknown");
  });
});

describe("afterwards", () => {
  async function published(as: "page" | "member", text = "published") {
    const found = await account(as);
    const post = publication(text);
    const publishKey = await prepared(linkedin, post, found.context);
    const sent = await linkedin.publish(post, publishKey, found.context);
    if (sent.is !== "live") return expect.fail(sent.is);
    const remove = () =>
      fetch(`${simulators.url}/_sim/posts/linkedin/${encodeURIComponent(sent.id)}`, { method: "DELETE" });
    return { ...found, url: sent.url, at: { id: sent.id, publishKey }, remove };
  }

  it("a page's post is there, is measured, and is gone once it is removed", async () => {
    const { handle, context, at, url, remove } = await published("page");
    expect(await linkedin.verify(at, context)).toEqual({ is: "there", url });
    expect(await linkedin.readMetrics?.(at, context)).toEqual({
      is: "read",
      metrics: { views: 40, reach: 30, clicks: 5, likes: 0, comments: 2, shares: 1 },
    });
    await refuse(handle, "posts/get", 403, { status: 403, code: "ACCESS_DENIED", message: "no" });
    expect((await linkedin.verify(at, context)).is).toBe("unknown");
    await remove();
    expect(await linkedin.verify(at, context)).toEqual({ is: "gone" });
    expect((await linkedin.readMetrics?.(at, context))?.is, "no metrics of what is gone").toBe("unknown");
  });

  it("a page's post that nobody has seen has zeros", async () => {
    const { context, at } = await published("page", "unseen");
    expect(await linkedin.readMetrics?.(at, context)).toMatchObject({ is: "read", metrics: { views: 0, likes: 0 } });
  });

  it("a member's post is measured, but whether it is there nobody may ask", async () => {
    const { context, at, remove } = await published("member");
    const metrics = { views: 10, reach: 9, shares: 8, likes: 7, comments: 6, saves: 5, clicks: 4 };
    expect(await linkedin.readMetrics?.(at, context)).toEqual({ is: "read", metrics });
    expect((await linkedin.verify(at, context)).is).toBe("unknown");
    await remove();
    expect((await linkedin.verify(at, context)).is).toBe("unknown");
  });

  it("metrics that the token may not read are not zeros", async () => {
    for (const [as, call] of [
      ["page", "organizationalEntityShareStatistics"],
      ["member", "memberCreatorPostAnalytics"],
    ] as const) {
      const { handle, context, at } = await published(as);
      await refuse(handle, call, 403, { status: 403, code: "ACCESS_DENIED", message: "no" });
      expect((await linkedin.readMetrics?.(at, context))?.is).toBe("unknown");
    }
  });
});
