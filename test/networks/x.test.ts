// The connector of X against its simulator, over HTTP.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext, MediaFile, Publication } from "../../src/networks/network.ts";
import { CATALOGUE } from "../../src/networks/x/errors.ts";
import { x } from "../../src/networks/x/index.ts";
import { segmentBytesOf } from "../../src/networks/x/media.ts";
import { postShown } from "../../src/networks/x/timeline.ts";
import { fault, file, gone, ledger, makeIO, mp4, png, prepared, publication, sha256, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const MIB = 1024 * 1024;
const GIF = new Uint8Array(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));

async function account(name = unique("user")) {
  const io = makeIO(simulators, "x");
  const input = { access_token: `access-for-${name}`, refresh_token: `refresh-for-${name}` };
  const connected = await x.connect(input, io);
  if (connected.is !== "connected") throw new Error(JSON.stringify(connected));
  const context: ConnectorContext<Json> = { credential: connected.credential, io };
  return { name: `@${name}`, connected, context, io };
}
const refuse = (name: string, call: string, status: number, body: object | string, headers = {}) =>
  fault(simulators, { platform: "x", account: name, call, do: "status", status, body, headers });

/** Prepares as often as the network says that it still works. */
async function ready(post: Publication<Json>, context: ConnectorContext<Json>, saved: Json[] = []): Promise<Json> {
  for (let i = 0; i < 5; i++) {
    const answer = await x.prepare(
      post,
      context,
      saved.at(-1) ?? null,
      async (publishHandle) => void saved.push(publishHandle),
    );
    if (answer.is === "prepared") return answer.handle;
    if (answer.is !== "retryable" || answer.retryAt === undefined) throw new Error(JSON.stringify(answer));
  }
  throw new Error("it was never ready");
}

describe("connecting", () => {
  it("asks who the account is; one with a refresh token renews itself", async () => {
    const { name, connected } = await account();
    expect(connected).toMatchObject({ handle: name, accountId: expect.stringMatching(/^\d+$/), tokenExpiresAt: null });
  });

  it("names the field of a token that is none, and the scopes that lack", async () => {
    const io = makeIO(simulators, "x");
    expect(await x.connect({ access_token: "nonsense" }, io)).toMatchObject({ field: "/access_token" });
    expect(await x.connect({ access_token: "access-for-few", scopes: ["tweet.read"] }, io)).toMatchObject({
      field: "/scopes",
      message: expect.stringContaining("media.write"),
    });
  });

  it("leads over PKCE from consent to account, and a code works once", async () => {
    const io = makeIO(simulators, "x");
    const app = io.app ?? expect.fail("no app");
    const flow = x.consent ?? expect.fail("no consent");
    const verifier = "v".repeat(43);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const redirectUri = "http://crier.test/callback";
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge }));
    const consent = async (more = "") => {
      const address = `${simulators.url}/x${pathname}${search}&decision=allow&account=ada${more}`;
      const answer = await fetch(address, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
    };
    const code = await consent();
    const wrong = await consent();
    expect((await flow.exchange({ code: wrong, redirectUri, verifier: "other" }, app, io)).is).toBe("grant_refused");
    const granted = await flow.exchange({ code, redirectUri, verifier }, app, io);
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle: "@ada", tokenExpiresAt: null }] });
    expect((await flow.exchange({ code, redirectUri, verifier }, app, io)).is).toBe("grant_refused");
    const few = await consent("&scope_granted=tweet.read+users.read");
    expect(await flow.exchange({ code: few, redirectUri, verifier }, app, io)).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("tweet.write"),
    });
  });
});

describe("renewing", () => {
  it("uses each refresh token once, and takes neither a blip nor half an answer for the end", async () => {
    const { context } = await account();
    await fault(simulators, { platform: "x", call: "oauth2/token", do: "reset_before" });
    expect((await x.refresh?.(context))?.is).toBe("retryable");
    const half = { access_token: "a", expires_in: 7_200 };
    await fault(simulators, { platform: "x", call: "oauth2/token", do: "status", status: 200, body: half });
    expect((await x.refresh?.(context))?.is).toBe("retryable");
    const fresh = await x.refresh?.(context);
    if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
    expect(x.refreshAt?.(fresh.credential)).toBeGreaterThan(Date.now() + 60 * 60_000);
    expect(await x.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });
});

describe("publishing", () => {
  it("a text, as it is, with its options", async () => {
    const { name, context } = await account();
    const text = "Grüß 中文 👩‍👩‍👧 example.com/a_b & <c> #tag @ada";
    const options = { reply_settings: "following", made_with_ai: true };
    const outcome = await x.publish(
      publication(text, { options }),
      await prepared(x, publication(text), context),
      context,
    );
    const [entry] = await ledger(simulators, name);
    expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    expect(entry).toMatchObject({ text, detail: options });
  });

  it("four images with alt text, in order; a restart goes on after those that are there", async () => {
    const { name, context, io } = await account();
    const media = [0, 1, 2, 3].map((i) => png(i, i === 2 ? null : `image ${i}`));
    const broken = publication("four", {
      media: [media[0], media[1], gone(media[2] ?? png(), true)].flatMap((m) => m ?? []),
    });
    const saved: Json[] = [];
    await x.prepare(broken, context, null, async (publishHandle) => void saved.push(publishHandle)).catch(() => {});
    const uploads = io.calls.filter(({ url }) => url.endsWith("/2/media/upload")).length;
    const publishHandle = await ready(publication("four", { media }), context, saved);
    const again = io.calls.filter(({ url }) => url.endsWith("/2/media/upload")).length - uploads;
    expect(again, "the first two were there").toBe(2);
    expect((await x.publish(publication("four", { media }), publishHandle, context)).is).toBe("live");
    const [entry] = await ledger(simulators, name);
    expect(entry?.media.map(({ sha256 }) => sha256)).toEqual(await Promise.all(media.map(sha256)));
    expect(entry?.media.map(({ alt }) => alt)).toEqual(["image 0", "image 1", null, "image 3"]);
  });

  it("a GIF alone", async () => {
    const { name, context } = await account();
    const post = publication("", { media: [file(GIF, { contentType: "image/gif" })] });
    expect((await x.publish(post, await ready(post, context), context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { text: "", media: [{ type: "image/gif", bytes: GIF.byteLength }] },
    ]);
  });

  it("a video in segments, each a checkpoint, then waited for; a restart opens no second upload", async () => {
    const { name, context, io } = await account();
    const video = mp4(9 * MIB + 5);
    const post = publication("moving", { media: [video] });
    const saved: Json[] = [];
    await fault(simulators, { platform: "x", account: name, call: "media/append", skip: 2, do: "reset_before" });
    const first = await x.prepare(post, context, null, async (publishHandle) => void saved.push(publishHandle));
    expect(first).toMatchObject({ is: "retryable" });
    expect(saved, "one upload and two segments").toHaveLength(3);
    const publishHandle = await ready(post, context, saved);
    const opened = io.calls.filter(({ url }) => url.endsWith("/initialize")).length;
    const segments = io.calls.filter(({ url }) => url.endsWith("/append")).length;
    expect([opened, segments], "one upload, three segments, one of them twice").toEqual([1, 4]);
    expect((await x.publish(post, publishHandle, context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { media: [{ bytes: video.bytes, sha256: await sha256(video) }] },
    ]);
  });

  it("an upload that the network forgot is begun anew once, then it is the file's fault", async () => {
    const { name, context } = await account();
    const post = publication("moving", { media: [mp4(5 * MIB)] });
    const saved: Json[] = [];
    const save = async (publishHandle: Json) => void saved.push(publishHandle);
    const expired = {
      title: "Invalid Request",
      detail: "expired",
      type: "https://api.x.com/2/problems/invalid-request",
    };
    await fault(simulators, { platform: "x", account: name, call: "media/append", skip: 1, do: "reset_before" });
    await x.prepare(post, context, null, save);
    await refuse(name, "media/append", 400, expired);
    expect(await x.prepare(post, context, saved.at(-1) ?? null, save)).toMatchObject({
      is: "retryable",
      detail: expect.stringContaining("again"),
    });
    await refuse(name, "media/append", 400, expired);
    const refused = await x.prepare(post, context, saved.at(-1) ?? null, save);
    expect(refused).toMatchObject({
      is: "rejected",
      error: "media_refused",
      detail: expect.stringContaining("file 1 (med_"),
    });
  });

  it("a video as large as the rule takes in a thousand segments at most, and in small ones as long as that is enough", async () => {
    const max = x.rule.video?.max_bytes ?? 0;
    for (const bytes of [1, 9 * MIB, 4_000 * MIB, 4_000 * MIB + 1, max, 16 * 1024 * MIB])
      expect(Math.ceil(bytes / segmentBytesOf(bytes)), String(bytes)).toBeLessThanOrEqual(1_000);
    expect(segmentBytesOf(4_000 * MIB)).toBe(4 * MIB);
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
    const begun = { step: "upload", media_ids: [], current: { media_id: "1", sent: 953, closed: false } };
    await x.prepare(publication("", { media: [large] }), context, begun, async () => {}).catch(() => {});
    expect(ranges).toEqual([{ offset: 953 * 8 * MIB, length: max - 953 * 8 * MIB }]);
  });

  it.each([
    ["a problem", { errors: [{ title: "Bad", detail: "Unsupported codec", type: "about:blank" }] }, {}],
    ["the old API's error", {}, { error: { code: 1, name: "InvalidMedia", message: "Unsupported codec" } }],
  ])("a video that the network cannot use is refused for the reason that %s names", async (_, beside, within) => {
    const { name, context } = await account();
    const data = { id: "1", processing_info: { state: "failed", progress_percent: 12, ...within } };
    await refuse(name, "media/status", 200, { data, ...beside });
    const post = publication("moving", { media: [mp4(1_000)] });
    await expect(ready(post, context)).rejects.toThrow(/"media_refused".*Unsupported codec/);
  });

  it("an article with its title and cover", async () => {
    const { name, context } = await account();
    const post = publication("First line\n\nThird line", {
      postType: "article",
      options: { title: "A title" },
      media: [png()],
    });
    expect((await x.publish(post, await ready(post, context), context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { text: "First line\n\nThird line", detail: { article: "A title" }, media: [{ type: "image/png" }] },
    ]);
  });

  it("the exact repeat of a post is refused as a duplicate", async () => {
    const { context } = await account();
    const post = publication("once");
    await x.publish(post, await prepared(x, post, context), context);
    const again = await x.publish(post, await prepared(x, post, context), context);
    expect(again).toMatchObject({ is: "rejected", error: "duplicate_content" });
  });
});

describe("a lost answer", () => {
  it.each([
    ["a text with links", "see https://example.com/a?b=c&d and example.org/x <3", []],
    ["a file", "with a file", [png()]],
    ["nothing but a file", "", [png()]],
  ])("of %s is found in the timeline when the post was made", async (_, text, media) => {
    const { name, context } = await account();
    const post = publication(text, { media });
    const publishHandle = await ready(post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_after_accept" });
    expect((await x.publish(post, publishHandle, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, name);
    expect(await x.reconcile?.(publishHandle, context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it("stays unknown when it was not made, and another post is never taken for it", async () => {
    const { name, context } = await account();
    const other = publication("another");
    await x.publish(other, await prepared(x, other, context), context);
    const post = publication("this one");
    const publishHandle = await prepared(x, post, context);
    await fault(simulators, { platform: "x", account: name, call: "tweets/create", do: "reset_before" });
    expect((await x.publish(post, publishHandle, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishHandle, context))?.is).toBe("unknown");
    expect(x.republishAfterMs).toBeNull();
  });

  it("of an article is found by its title", async () => {
    const { name, context } = await account();
    const post = publication("Body", { postType: "article", options: { title: unique("Title ") } });
    const publishHandle = await ready(post, context);
    await fault(simulators, { platform: "x", account: name, call: "articles/publish", do: "reset_after_accept" });
    expect((await x.publish(post, publishHandle, context)).is).toBe("unknown");
    expect((await x.reconcile?.(publishHandle, context))?.is).toBe("live");
  });

  it("is not taken for a post that only begins alike", () => {
    const shown = { id: "1", text: "Hello world", entities: undefined };
    expect(postShown(shown, "Hello")).toBe(false);
    expect(postShown(shown, "Hello world")).toBe(true);
  });

  it.each(["note_post", "note_tweet"] as const)("of a long post is found by the text in full: %s", async (name) => {
    const { name: handle, context } = await account();
    const post = publication("a long post");
    const publishHandle = await prepared(x, post, context);
    const data = [{ id: "5", text: "a long…", [name]: { text: "a long post" } }];
    await refuse(handle, "users/tweets", 200, { data });
    expect(await x.reconcile?.(publishHandle, context)).toMatchObject({ is: "live", id: "5" });
  });

  it("is asked for in the names of the description, which the network answers in", async () => {
    const { context, io } = await account();
    await x.reconcile?.(await prepared(x, publication("x"), context), context);
    const query = new URL(io.calls.at(-1)?.url ?? "").searchParams;
    expect([query.get("post.fields"), query.get("tweet.fields")]).toEqual([expect.stringContaining("note_post"), null]);
  });
});

describe("the catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.status, entry.kind ?? entry.detail ?? "", entry] as const))(
    "%i %s",
    async (status, _, { kind = "other", detail = "the network's words", means }) => {
      const { name, context } = await account();
      const post = publication(unique("text "));
      const publishHandle = await prepared(x, post, context);
      await refuse(name, "tweets/create", status, { title: "T", detail, type: `https://api.x.com/2/problems/${kind}` });
      const outcome = await x.publish(post, publishHandle, context);
      expect(outcome).toMatchObject({ is: means.is, detail });
      if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
    },
  );

  it("waits until the window that is used up begins anew", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishHandle = await prepared(x, post, context);
    const reset = Math.floor(Date.now() / 1000) + 500;
    const headers = { "x-rate-limit-remaining": "0", "x-rate-limit-reset": String(reset) };
    await refuse(
      name,
      "tweets/create",
      429,
      { title: "Too Many Requests", detail: "slow", type: "about:blank" },
      headers,
    );
    expect(await x.publish(post, publishHandle, context)).toMatchObject({
      is: "retryable",
      error: "network_quota",
      notBefore: reset * 1000,
    });
  });

  it("waits as long as Retry-After says where no window is used up", async () => {
    const { name, context } = await account();
    const now = Date.now();
    const still = { ...context, io: { ...context.io, now: () => now } };
    const post = publication("x");
    const publishHandle = await prepared(x, post, still);
    const body = { title: "Too Many Requests", detail: "slow", type: "about:blank" };
    await refuse(name, "tweets/create", 429, body, { "retry-after": "1800" });
    expect(await x.publish(post, publishHandle, still)).toMatchObject({ notBefore: now + 1_800_000 });
  });

  it("takes a wall before the API for no answer of the API: nothing was made", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishHandle = await prepared(x, post, context);
    await refuse(name, "tweets/create", 403, "<title>Just a moment...</title>");
    expect((await x.publish(post, publishHandle, context)).is).toBe("retryable");
  });

  it.each([500, 503])("a %i may have made the post", async (status) => {
    const { name, context } = await account();
    const post = publication("x");
    const publishHandle = await prepared(x, post, context);
    await refuse(name, "tweets/create", status, "");
    expect((await x.publish(post, publishHandle, context)).is).toBe("unknown");
  });

  it("a post that has an id exists, whatever else the answer complains of", async () => {
    const { name, context } = await account();
    const post = publication("x");
    const publishHandle = await prepared(x, post, context);
    await refuse(name, "tweets/create", 201, { data: { id: "77", text: "x" }, errors: [{ title: "partial" }] });
    expect(await x.publish(post, publishHandle, context)).toMatchObject({ is: "live", id: "77" });
  });
});

describe("afterwards", () => {
  it("looks whether the post is there, and measures it", async () => {
    const { name, context } = await account();
    const post = publication("look");
    const publishHandle = await prepared(x, post, context);
    const sent = await x.publish(post, publishHandle, context);
    if (sent.is !== "live") return expect.fail(sent.is);
    const published = { id: sent.id, handle: publishHandle };
    expect(await x.verify(published, context)).toEqual({ is: "there", url: sent.url });
    expect(await x.readMetrics?.(published, context)).toEqual({
      is: "read",
      metrics: { views: 90, likes: 7, comments: 2, reposts: 1, quotes: 0, saves: 3 },
    });
    // The names of the guides.
    const old = { data: [{ id: sent.id, public_metrics: { retweet_count: 5, like_count: 1 } }] };
    await refuse(name, "tweets/lookup", 200, old);
    expect(await x.readMetrics?.(published, context)).toEqual({ is: "read", metrics: { reposts: 5, likes: 1 } });
    const hidden = {
      errors: [{ title: "Authorization Error", type: "https://api.x.com/2/problems/not-authorized-for-resource" }],
    };
    await refuse(name, "tweets/lookup", 200, hidden);
    expect((await x.verify(published, context)).is).toBe("unknown");
    await fetch(`${simulators.url}/_sim/posts/x/${sent.id}`, { method: "DELETE" });
    expect(await x.verify(published, context)).toEqual({ is: "gone" });
  });
});
