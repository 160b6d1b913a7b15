// The connector of LinkedIn against its simulator, over HTTP: accounts, posts, lost answers and what is known afterwards.
import { describe, expect, it } from "vitest";
import { memberUrn, pagesOf, pageUrn } from "../../simulators/linkedin/directory.ts";
import type { Json } from "../../src/domain/json.ts";
import { CATALOGUE } from "../../src/networks/linkedin/errors.ts";
import { linkedin } from "../../src/networks/linkedin/index.ts";
import type { ConnectorContext, NetworkIO } from "../../src/networks/network.ts";
import { fault, file, ledger, makeIO, png, prepared, publication, sha256, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const tokens = (name: string) => ({ access_token: `access-for-${name}`, refresh_token: `refresh-for-${name}` });

async function account(as: "page" | "member", io = makeIO(simulators, "linkedin")) {
  const name = unique("linked");
  const account_id = as === "page" ? pageUrn(name) : memberUrn(name);
  const connected = await linkedin.connect({ ...tokens(name), account_id }, io);
  if (connected.is !== "connected") return expect.fail(JSON.stringify(connected));
  const context: ConnectorContext<Json> = { credential: connected.credential, io };
  return { name, handle: connected.handle, connected, context, io };
}
const refuse = (account: string, call: string, status: number, body: object, headers = {}) =>
  fault(simulators, { platform: "linkedin", account, call, do: "status", status, body, headers });
const expired = (account: string) => fault(simulators, { platform: "linkedin", account, expire_token: true });

describe("connecting", () => {
  const connect = (input: Json) => linkedin.connect(input, makeIO(simulators, "linkedin"));

  it("as a page that the member may post for", async () => {
    const { name, connected } = await account("page");
    expect(connected).toMatchObject({
      accountId: pageUrn(name),
      handle: `${name}-page`,
      name: `The ${name}-page page`,
      profileUrl: `https://www.linkedin.com/company/${name}-page/`,
      tokenExpiresAt: null,
    });
  });

  it("as a member, whose channel ends with a token that nobody can renew", async () => {
    const name = unique("linked");
    const expires_at = "2030-01-01T00:00:00.000Z";
    const scopes = ["openid", "profile", "w_member_social"];
    const input = { access_token: `access-for-${name}`, expires_at, scopes };
    expect(await connect(input)).toMatchObject({
      is: "connected",
      accountId: memberUrn(name),
      handle: name,
      tokenExpiresAt: Date.parse(expires_at),
    });
  });

  it("needs to know as which of several, and names those that may post", async () => {
    const name = unique("linked");
    const [page, press, lab] = pagesOf(name).map(({ urn }) => urn);
    for (const account_id of [undefined, lab, "urn:li:organization:1"]) {
      const answer = await connect({ ...tokens(name), ...(account_id === undefined ? {} : { account_id }) });
      if (answer.is !== "credentials_refused") return expect.fail(answer.is);
      expect(answer.field).toBe("/account_id");
      for (const urn of [memberUrn(name), page, press]) expect(answer.hint).toContain(urn);
      expect(answer.hint).not.toContain(lab);
    }
  });

  it("names the field of a token that is none, and the scopes that lack", async () => {
    expect(await connect({ access_token: "nonsense" })).toMatchObject({ field: "/access_token" });
    const few = { access_token: "access-for-few", scopes: ["openid", "profile", "w_member_social"] };
    const missing = {
      is: "credentials_refused",
      field: "/scopes",
      message: expect.stringContaining("w_organization_social"),
    };
    expect(await connect({ ...few, account_id: pageUrn("few") })).toMatchObject(missing);
  });

  it.each(["userinfo", "organizationAcls", "organizationsLookup"])(
    "is busy, not refused, without an answer to %s",
    async (call) => {
      const name = unique("linked");
      await fault(simulators, { platform: "linkedin", account: name, call, do: "reset_before" });
      expect((await connect({ ...tokens(name), account_id: pageUrn(name) })).is).toBe("retryable");
    },
  );
});

describe("consent", () => {
  const redirectUri = "http://crier.test/callback";
  async function consent(parameters: Record<string, string>) {
    const io = makeIO(simulators, "linkedin");
    const app = io.app ?? expect.fail("no app");
    const flow = linkedin.consent ?? expect.fail("no consent");
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge: "c" }));
    const query = `${search}&${new URLSearchParams(parameters)}`;
    const answer = await fetch(`${simulators.url}/linkedin${pathname}${query}`, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? "");
    const code = back.searchParams.get("code") ?? "";
    return { back, io, exchange: () => flow.exchange({ code, redirectUri, verifier: "v" }, app, io) };
  }

  it("lists the member and the pages that they may post for, until the grant ends", async () => {
    const { back, io, exchange } = await consent({ decision: "allow", account: "ada" });
    expect(back.searchParams.get("state")).toBe("s");
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts.map(({ handle }) => handle)).toEqual(["ada", "ada-page", "ada-press"]);
    const [first] = granted.accounts;
    expect((first?.tokenExpiresAt ?? 0) - Date.now()).toBeGreaterThan(364 * 86_400_000);
    expect((await exchange()).is, "a code works once").toBe("grant_refused");
    // A token of the grant posts as the page.
    const context = { credential: granted.accounts[1]?.credential ?? null, io };
    const post = publication("by consent");
    expect((await linkedin.publish(post, await prepared(linkedin, post, context), context)).is).toBe("live");
  });

  it("to a member's scopes alone lists the member, whose tokens nobody renews", async () => {
    const scope_granted = "openid profile w_member_social";
    const { exchange } = await consent({ decision: "allow", account: "bob", scope_granted });
    const granted = await exchange();
    if (granted.is !== "granted") return expect.fail(granted.is);
    expect(granted.accounts).toMatchObject([{ handle: "bob", credential: { refresh_token: null } }]);
    expect((granted.accounts[0]?.tokenExpiresAt ?? 0) - Date.now()).toBeLessThan(61 * 86_400_000);
  });

  it("is not enough when posting was taken away", async () => {
    const { exchange } = await consent({ decision: "allow", account: "eve", scope_granted: "openid profile" });
    expect(await exchange()).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("w_member_social"),
    });
  });

  it("is tried again after a blip", async () => {
    const { exchange } = await consent({ decision: "allow", account: "kim" });
    await fault(simulators, { platform: "linkedin", call: "accessToken", do: "reset_before" });
    expect((await exchange()).is).toBe("retryable");
    expect((await exchange()).is).toBe("granted");
  });
});

describe("renewing", () => {
  it("moves the end of the access token, not that of the grant", async () => {
    const { context } = await account("page");
    const first = await linkedin.refresh?.(context);
    if (first?.is !== "fresh") return expect.fail(first?.is);
    expect(first.credential).toMatchObject({ refresh_token: expect.stringMatching(/^refresh-for-/) });
    expect(linkedin.refreshAt?.(first.credential)).toBeGreaterThan(Date.now() + 54 * 86_400_000);
    expect((await linkedin.refresh?.({ ...context, credential: first.credential }))?.is).toBe("fresh");
    const { expires_at } = Object(first.credential);
    const last = { ...Object(first.credential), refresh_expires_at: expires_at };
    expect(linkedin.refreshAt?.(last), "nothing would be won").toBeNull();
  });

  it("is tried again after a lost answer, and never takes half an answer", async () => {
    const { context } = await account("page");
    const blips = [
      { do: "reset_before" },
      { do: "reset_after_accept" },
      { do: "status", status: 503 },
      { do: "status", status: 401, body: { error: "invalid_client" } },
      { do: "status", status: 200, body: { access_token: "half" } },
    ];
    for (const blip of blips) {
      await fault(simulators, { platform: "linkedin", call: "accessToken", ...blip });
      expect((await linkedin.refresh?.(context))?.is).toBe("retryable");
    }
    expect((await linkedin.refresh?.(context))?.is).toBe("fresh");
  });

  it("ends with the network's own word, or where there is nothing to renew with", async () => {
    const { name, context } = await account("member");
    const alone = { ...context, credential: { ...Object(context.credential), refresh_token: null } };
    expect(linkedin.refreshAt?.(alone.credential)).toBeNull();
    expect(await linkedin.refresh?.(alone)).toMatchObject({ is: "rejected", error: "token_expired" });
    await fetch(`${simulators.url}/linkedin/oauth/v2/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: `access-for-${name}` }),
    });
    expect(await linkedin.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });
});

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
    const save = async (publishHandle: Json) => void saved.push(publishHandle);
    expect(await linkedin.prepare(post, context, null, save)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    const ready = await linkedin.prepare(post, context, saved.at(-1) ?? null, save);
    if (ready.is !== "prepared") return expect.fail(JSON.stringify(ready));
    expect(io.calls.filter(({ url }) => url.includes("/dms-uploads/"))).toHaveLength(4);
    await linkedin.publish(post, ready.handle, context);
    const [entry] = await ledger(simulators, handle);
    expect(entry?.media.map((of) => of.sha256)).toEqual(await Promise.all(post.media.map(sha256)));
  });

  it("an image that never got there though its upload was taken is uploaded again, and the first stays", async () => {
    const { handle, context, io } = await account("page");
    const post = publication("two", { media: [png(0), png(1)] });
    const taken = { do: "status", status: 201, body: {} };
    await fault(simulators, { platform: "linkedin", account: handle, call: "upload", skip: 1, ...taken });
    const saved: Json[] = [];
    const save = async (publishHandle: Json) => void saved.push(publishHandle);
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
    await linkedin.publish(post, ready.handle, context);
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
    const waiting = await linkedin.prepare(
      post,
      context,
      null,
      async (publishHandle) => void saved.push(publishHandle),
    );
    if (waiting.is !== "retryable") return expect.fail(waiting.is);
    const later: NetworkIO = { ...io, now: () => waiting.retryAt ?? 0 };
    const ready = await linkedin.prepare(post, { ...context, io: later }, saved.at(-1) ?? null, async () => {});
    if (ready.is !== "prepared") return expect.fail(JSON.stringify(ready));
    expect((await linkedin.publish(post, ready.handle, context)).is).toBe("live");
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
    const publishHandle = await prepared(linkedin, post, context);
    await fault(simulators, {
      platform: "linkedin",
      account: handle,
      call: "posts/create",
      do: "status_after_accept",
      status: 201,
    });
    const outcome = await linkedin.publish(post, publishHandle, context);
    expect(outcome).toMatchObject({ is: "live", url: null, urlState: "not_reported" });
    expect(await ledger(simulators, handle)).toHaveLength(1);
    expect((await linkedin.verify({ id: "", handle: publishHandle }, context)).is).toBe("unknown");
  });
});

describe("a lost answer", () => {
  const lose = (account: string, how: string, more = {}) =>
    fault(simulators, { platform: "linkedin", account, call: "posts/create", do: how, ...more });

  it.each([
    ["reset_after_accept", {}],
    ["status_after_accept", { status: 502 }],
  ])("(%s) is found among the page's posts", async (how, more) => {
    const { handle, context } = await account("page");
    const post = publication("Lost & #found (once)", { media: [png()] });
    const publishHandle = await prepared(linkedin, post, context);
    await lose(handle, how, more);
    expect((await linkedin.publish(post, publishHandle, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, handle);
    expect(await linkedin.reconcile?.(publishHandle, context)).toMatchObject({
      is: "live",
      id: entry?.id,
      url: entry?.url,
    });
  });

  it("stays unknown when nothing was made, and no other post is taken for it", async () => {
    const { handle, context } = await account("page");
    const publishHandle = await prepared(linkedin, publication("the same text", { media: [png(0)] }), context);
    const others = [publication("another text"), publication("the same text", { media: [png(1)] })];
    for (const other of others) await linkedin.publish(other, await prepared(linkedin, other, context), context);
    await lose(handle, "reset_before");
    const post = publication("the same text", { media: [png(0)] });
    expect((await linkedin.publish(post, publishHandle, context)).is).toBe("unknown");
    expect((await linkedin.reconcile?.(publishHandle, context))?.is).toBe("unknown");
    expect(linkedin.republishAfterMs).toBeNull();
  });

  it("is not an older post with the same text", async () => {
    const { context, io } = await account("page");
    const old = publication("every monday");
    await linkedin.publish(old, await prepared(linkedin, old, context), context);
    const nextWeek: ConnectorContext<Json> = { ...context, io: { ...io, now: () => Date.now() + 7 * 86_400_000 } };
    const publishHandle = await prepared(linkedin, old, nextWeek);
    expect((await linkedin.reconcile?.(publishHandle, nextWeek))?.is).toBe("unknown");
  });

  it("of a member stays unknown: nobody may read their posts", async () => {
    const { handle, context, io } = await account("member");
    const post = publication("mine");
    const publishHandle = await prepared(linkedin, post, context);
    await lose(handle, "reset_after_accept");
    expect((await linkedin.publish(post, publishHandle, context)).is).toBe("unknown");
    const before = io.calls.length;
    expect(await linkedin.reconcile?.(publishHandle, context)).toMatchObject({ is: "unknown", final: true });
    expect(io.calls).toHaveLength(before);
  });

  it("waits when the search itself is refused for now, and takes a refused token for what it is", async () => {
    const { name, handle, context } = await account("page");
    const publishHandle = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/finder", 429, { status: 429, code: "TOO_MANY_REQUESTS", message: "slow down" });
    expect(await linkedin.reconcile?.(publishHandle, context)).toMatchObject({
      is: "retryable",
      error: "network_quota",
    });
    await expired(name);
    expect((await linkedin.reconcile?.(publishHandle, context))?.is).toBe("unauthorized");
  });
});

describe("the catalogue", () => {
  it.each(CATALOGUE.map((entry) => [entry.status, entry.code ?? "OTHER", entry.means] as const))(
    "%i %s",
    async (status, code, means) => {
      const { handle, context } = await account("page");
      const post = publication("x");
      const publishHandle = await prepared(linkedin, post, context);
      await refuse(handle, "posts/create", status, { status, code, message: "the network's words" });
      const outcome = await linkedin.publish(post, publishHandle, context);
      expect(outcome).toMatchObject({ is: means.is, detail: `the network's words (${code})` });
      if ("error" in means) expect(outcome).toMatchObject({ error: means.error });
    },
  );

  it("a repeat is refused, and its detail names the post that is there", async () => {
    const { handle, context } = await account("page");
    const post = publication("twice");
    await linkedin.publish(post, await prepared(linkedin, post, context), context);
    const [entry] = await ledger(simulators, handle);
    const again = await linkedin.publish(post, await prepared(linkedin, post, context), context);
    expect(again).toEqual({
      is: "rejected",
      error: "duplicate_content",
      detail: `Content is a duplicate of ${entry?.id} (DUPLICATE_POST)`,
    });
  });

  it("the day's quota begins anew at midnight UTC", async () => {
    const { handle, context } = await account("page");
    const publishHandle = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", 429, { status: 429, code: "TOO_MANY_REQUESTS", message: "enough" });
    const outcome = await linkedin.publish(publication("x"), publishHandle, context);
    if (outcome.is !== "retryable") return expect.fail(outcome.is);
    const { notBefore = 0 } = outcome;
    expect(notBefore % 86_400_000).toBe(0);
    expect(notBefore).toBeGreaterThan(Date.now() - 60_000);
    expect(notBefore - Date.now()).toBeLessThanOrEqual(86_400_000);
  });

  it("a version that is over holds the channel, and uses up no tries", async () => {
    const { handle, context } = await account("page");
    const publishHandle = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", 426, { status: 426, code: "NONEXISTENT_VERSION", message: "not active" });
    expect(await linkedin.publish(publication("x"), publishHandle, context)).toMatchObject({
      notBefore: expect.any(Number),
    });
  });

  it.each([500, 503, 404])("a %i leaves open whether the post is out", async (status) => {
    const { handle, context } = await account("page");
    const publishHandle = await prepared(linkedin, publication("x"), context);
    await refuse(handle, "posts/create", status, {});
    expect((await linkedin.publish(publication("x"), publishHandle, context)).is).toBe("unknown");
  });

  it("an expired token is unauthorized wherever it is met", async () => {
    const { name, context } = await account("page");
    const publishHandle = await prepared(linkedin, publication("x"), context);
    await expired(name);
    expect((await linkedin.publish(publication("x"), publishHandle, context)).is).toBe("unauthorized");
    expect((await linkedin.prepare(publication("x", { media: [png()] }), context, null, async () => {})).is).toBe(
      "unauthorized",
    );
  });
});

describe("afterwards", () => {
  async function published(as: "page" | "member", text = "published") {
    const found = await account(as);
    const post = publication(text);
    const publishHandle = await prepared(linkedin, post, found.context);
    const sent = await linkedin.publish(post, publishHandle, found.context);
    if (sent.is !== "live") return expect.fail(sent.is);
    const remove = () =>
      fetch(`${simulators.url}/_sim/posts/linkedin/${encodeURIComponent(sent.id)}`, { method: "DELETE" });
    return { ...found, url: sent.url, at: { id: sent.id, handle: publishHandle }, remove };
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
