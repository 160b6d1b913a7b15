// The connector of Pinterest against its simulator, over HTTP.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { pinterest } from "../../src/networks/pinterest/index.ts";
import { fault, gone, ledger, makeIO, mp4, prepared, unique } from "./network-io.ts";
import { account, OPTIONS, pin, refuse } from "./pinterest-account.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const sha256 = async (of: MediaFile) =>
  createHash("sha256")
    .update(new Uint8Array(await new Response(await of.open()).arrayBuffer()))
    .digest("hex");

describe("connecting", () => {
  it("asks who the account is, and ends with a token that nobody can renew", async () => {
    const { name, connected } = await account();
    expect(connected).toMatchObject({ handle: name, name: `${name}'s pins`, tokenExpiresAt: null });
    expect(connected).toMatchObject({ accountId: expect.stringMatching(/^\d+$/) });
    const expires_at = "2030-01-01T00:00:00.000Z";
    const alone = await pinterest.connect(
      { access_token: `access-for-${unique("p")}`, expires_at },
      makeIO(simulators, "pinterest"),
    );
    expect(alone).toMatchObject({ is: "connected", tokenExpiresAt: Date.parse(expires_at) });
  });

  it("names the field of a token that is none, and the scopes that lack", async () => {
    const io = makeIO(simulators, "pinterest");
    expect(await pinterest.connect({ access_token: "nonsense" }, io)).toMatchObject({ field: "/access_token" });
    const few = { access_token: "access-for-few", scopes: ["pins:read"] };
    expect(await pinterest.connect(few, io)).toMatchObject({
      is: "credentials_refused",
      field: "/scopes",
      message: expect.stringContaining("pins:write"),
    });
  });

  it("is busy, not refused, when the network does not answer", async () => {
    const name = unique("p");
    await fault(simulators, { platform: "pinterest", account: name, call: "user_account/get", do: "reset_before" });
    const answer = await pinterest.connect({ access_token: `access-for-${name}` }, makeIO(simulators, "pinterest"));
    expect(answer.is).toBe("retryable");
  });
});

describe("consent", () => {
  const redirectUri = "http://crier.test/callback";
  async function consent(parameters: Record<string, string>) {
    const io = makeIO(simulators, "pinterest");
    const app = io.app ?? expect.fail("no app");
    const flow = pinterest.consent ?? expect.fail("no consent");
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge: "c" }));
    const query = `${search}&${new URLSearchParams(parameters)}`;
    const answer = await fetch(`${simulators.url}/pinterest${pathname}${query}`, { redirect: "manual" });
    const back = new URL(answer.headers.get("location") ?? "");
    const code = back.searchParams.get("code") ?? "";
    return { back, code, exchange: () => flow.exchange({ code, redirectUri, verifier: "v" }, app, io) };
  }

  it("leads to the account, with tokens that renew themselves", async () => {
    const { back, exchange } = await consent({ decision: "allow", account: "ada" });
    expect(back.searchParams.get("state")).toBe("s");
    const granted = await exchange();
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle: "ada", tokenExpiresAt: null }] });
    expect((await exchange()).is, "a code works once").toBe("grant_refused");
  });

  it("is not enough when the person took scopes away", async () => {
    const { exchange } = await consent({ decision: "allow", account: "bob", scope_granted: "pins:read" });
    expect(await exchange()).toMatchObject({ is: "grant_refused", message: expect.stringContaining("pins:write") });
  });
});

describe("renewing", () => {
  it("gives a new pair; the old refresh token is over", async () => {
    const { context } = await account();
    const first = await pinterest.refresh?.(context);
    expect(first?.is).toBe("fresh");
    expect(await pinterest.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
    if (first?.is !== "fresh") return;
    expect((await pinterest.refresh?.({ ...context, credential: first.credential }))?.is).toBe("fresh");
    expect(pinterest.refreshAt?.(first.credential)).toBeGreaterThan(Date.now());
  });

  it("ends no channel for a wrong secret of the app, which is the operator's to correct", async () => {
    const { context } = await account();
    const body = { code: 2, message: "Authentication failed." };
    await fault(simulators, { platform: "pinterest", call: "oauth/token", do: "status", status: 401, body });
    expect(await pinterest.refresh?.(context)).toMatchObject({ is: "retryable", error: "service_misconfigured" });
    expect((await pinterest.refresh?.(context))?.is).toBe("fresh");
  });

  it("is tried again after a lost answer, and never takes half an answer", async () => {
    const { context } = await account();
    await fault(simulators, { platform: "pinterest", call: "oauth/token", do: "reset_before" });
    expect((await pinterest.refresh?.(context))?.is).toBe("retryable");
    await fault(simulators, { platform: "pinterest", call: "oauth/token", do: "status", status: 200, body: {} });
    expect((await pinterest.refresh?.(context))?.is).toBe("retryable");
    expect((await pinterest.refresh?.(context))?.is).toBe("fresh");
  });
});

describe("publishing", () => {
  it("an image with board, section, link, title and alt text", async () => {
    const { name, context } = await account();
    const options = { ...OPTIONS, board_section: "7", title: "Title" };
    const post = await pin({ options });
    const outcome = await pinterest.publish(post, await prepared(pinterest, post, context), context);
    const [entry] = await ledger(simulators, name);
    expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    expect(entry).toMatchObject({
      text: "A pin",
      media: [{ alt: "a gradient", type: "image/png", sha256: await sha256(post.media[0] ?? expect.fail()) }],
      detail: { board: "101", section: "7", title: "Title", link: OPTIONS.link },
    });
  });

  it("a video, uploaded once and waited for", async () => {
    const { name, context } = await account();
    const video = mp4(300_000);
    const post = await pin({ media: [video], options: { ...OPTIONS, cover_frame_seconds: 2 } });
    const saved: Json[] = [];
    const save = async (publishKey: Json) => void saved.push(publishKey);
    const waiting = await pinterest.prepare(post, context, null, save);
    expect(waiting).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
    expect(saved).toHaveLength(1);
    const ready = await pinterest.prepare(post, context, saved[0] ?? null, save);
    if (ready.is !== "prepared") return expect.fail(JSON.stringify(ready));
    expect(saved, "the same medium is used").toHaveLength(1);
    expect((await pinterest.publish(post, ready.publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { media: [{ bytes: 300_000, sha256: await sha256(video) }], detail: { source: { type: "video_id", cover: 2 } } },
    ]);
  });

  it("nothing when the video cannot be read", async () => {
    const { name, context } = await account();
    const post = await pin({ media: [gone(mp4(1_000), false)] });
    await expect(pinterest.prepare(post, context, null, async () => {})).resolves.toMatchObject({ is: "retryable" });
    expect(await ledger(simulators, name)).toEqual([]);
  });

  it("to a board that is not there is refused by the network's word", async () => {
    const { context } = await account();
    const post = await pin({ options: { ...OPTIONS, board: "999" } });
    const outcome = await pinterest.publish(post, await prepared(pinterest, post, context), context);
    expect(outcome).toEqual({ is: "rejected", error: "content_refused", networkMessage: "Board not found. (40)" });
  });
});

describe("a lost answer", () => {
  it("is found again when the pin was made", async () => {
    const { name, context } = await account();
    const post = await pin();
    const publishKey = await prepared(pinterest, post, context);
    await fault(simulators, { platform: "pinterest", account: name, call: "pins/create", do: "reset_after_accept" });
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, name);
    expect(await pinterest.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it("stays unknown when it was not, and another pin is never taken for it", async () => {
    const { name, context } = await account();
    const other = await pin({ text: "Another pin" });
    await pinterest.publish(other, await prepared(pinterest, other, context), context);
    const post = await pin();
    const publishKey = await prepared(pinterest, post, context);
    await fault(simulators, { platform: "pinterest", account: name, call: "pins/create", do: "reset_before" });
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await pinterest.reconcile?.(publishKey, context))?.is).toBe("unknown");
    expect(pinterest.republishAfterMs).toBeNull();
  });
});

describe("afterwards", () => {
  it("looks whether the pin is there, and measures it", async () => {
    const { name, context } = await account();
    const post = await pin();
    const publishKey = await prepared(pinterest, post, context);
    const sent = await pinterest.publish(post, publishKey, context);
    if (sent.is !== "live") return expect.fail(sent.is);
    const published = { id: sent.id, publishKey };
    expect(await pinterest.verify(published, context)).toEqual({ is: "there", url: sent.url });
    expect(await pinterest.readMetrics?.(published, context)).toEqual({
      is: "read",
      metrics: { views: 40, clicks: 3, saves: 2, likes: 4, comments: 1 },
    });
    await refuse(name, "pins/get", 403, { code: 29, message: "no" });
    expect((await pinterest.verify(published, context)).is).toBe("unknown");
    await fetch(`${simulators.url}/_sim/posts/pinterest/${sent.id}`, { method: "DELETE" });
    expect(await pinterest.verify(published, context)).toEqual({ is: "gone" });
    expect((await pinterest.readMetrics?.(published, context))?.is).toBe("unknown");
  });
});

describe("the link of a pin", () => {
  it("is asked for, and may be nowhere if that is said", () => {
    const { link: _, ...without } = OPTIONS;
    expect(pinterest.options.safeParse(without).success).toBe(false);
    expect(pinterest.options.safeParse({ ...without, link: null }).success).toBe(true);
    expect(pinterest.options.safeParse({ ...without, link: "" }).success).toBe(false);
  });

  it("is left out of a pin that leads nowhere, which is found again when its answer was lost", async () => {
    const { name, context } = await account();
    const post = await pin({ options: { ...OPTIONS, link: null } });
    const publishKey = await prepared(pinterest, post, context);
    expect((await pinterest.reconcile?.(publishKey, context))?.is).toBe("unknown");
    await fault(simulators, { platform: "pinterest", account: name, call: "pins/create", do: "reset_after_accept" });
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await pinterest.reconcile?.(publishKey, context))?.is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([{ detail: { link: null } }]);
  });
});
