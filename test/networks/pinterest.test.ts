// The Pinterest connector with its simulator, over HTTP.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import { pinterest } from "../../src/networks/pinterest/index.ts";
import { fault, ledger, makeIO, makeUnreadable, mp4, prepareOnce, unique } from "./network-io.ts";
import { account, OPTIONS, pin, refuse } from "./pinterest-account.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const sha256 = async (media: MediaFile) =>
  createHash("sha256")
    .update(new Uint8Array(await new Response(await media.open()).arrayBuffer()))
    .digest("hex");

describe("connecting a Pinterest account", () => {
  it("reads the profile, and expires with a token that cannot be renewed", async () => {
    const { name, connected } = await account();
    expect(connected).toMatchObject({ handle: name, name: `${name}'s pins`, tokenExpiresAt: null });
    expect(connected).toMatchObject({ accountId: expect.stringMatching(/^\d+$/) });
    const expires_at = "2030-01-01T00:00:00.000Z";
    const withoutRefreshToken = await pinterest.connect(
      { access_token: `access-for-${unique("p")}`, expires_at },
      makeIO(simulators, "pinterest"),
    );
    expect(withoutRefreshToken).toMatchObject({ is: "connected", tokenExpiresAt: Date.parse(expires_at) });
  });

  it("names the field of an invalid token, and the missing scopes", async () => {
    const io = makeIO(simulators, "pinterest");
    expect(await pinterest.connect({ access_token: "nonsense" }, io)).toMatchObject({ field: "/access_token" });
    const few = { access_token: "access-for-few", scopes: ["pins:read"] };
    expect(await pinterest.connect(few, io)).toMatchObject({
      is: "credentials_refused",
      field: "/scopes",
      message: expect.stringContaining("pins:write"),
    });
  });

  it("is retryable while the network does not answer", async () => {
    const name = unique("p");
    await fault(simulators, { platform: "pinterest", account: name, call: "user_account/get", do: "reset_before" });
    const answer = await pinterest.connect({ access_token: `access-for-${name}` }, makeIO(simulators, "pinterest"));
    expect(answer.is).toBe("retryable");
  });
});

describe("the consent of Pinterest", () => {
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

  it("leads to the account, with tokens that can be renewed", async () => {
    const { back, exchange } = await consent({ decision: "allow", account: "ada" });
    expect(back.searchParams.get("state")).toBe("s");
    const granted = await exchange();
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle: "ada", tokenExpiresAt: null }] });
    expect((await exchange()).is, "a code works once").toBe("grant_refused");
  });

  it("is rejected if the person deselected necessary scopes", async () => {
    const { exchange } = await consent({ decision: "allow", account: "bob", scope_granted: "pins:read" });
    expect(await exchange()).toMatchObject({ is: "grant_refused", message: expect.stringContaining("pins:write") });
  });
});

describe("renewing a Pinterest credential", () => {
  it("gives a new pair of tokens, and the old refresh token becomes invalid", async () => {
    const { context } = await account();
    const first = await pinterest.refresh?.(context);
    expect(first?.is).toBe("fresh");
    expect(await pinterest.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
    if (first?.is !== "fresh") return;
    expect((await pinterest.refresh?.({ ...context, credential: first.credential }))?.is).toBe("fresh");
    expect(pinterest.refreshAt?.(first.credential)).toBeGreaterThan(Date.now());
  });

  it("keeps the channel if the app's secret is wrong, which the operator must correct", async () => {
    const { context } = await account();
    const body = { code: 2, message: "Authentication failed." };
    await fault(simulators, { platform: "pinterest", call: "oauth/token", do: "status", status: 401, body });
    expect(await pinterest.refresh?.(context)).toMatchObject({ is: "retryable", error: "service_misconfigured" });
    expect((await pinterest.refresh?.(context))?.is).toBe("fresh");
  });

  it("is retried after a lost answer, and never stores an incomplete answer", async () => {
    const { context } = await account();
    await fault(simulators, { platform: "pinterest", call: "oauth/token", do: "reset_before" });
    expect((await pinterest.refresh?.(context))?.is).toBe("retryable");
    await fault(simulators, { platform: "pinterest", call: "oauth/token", do: "status", status: 200, body: {} });
    expect((await pinterest.refresh?.(context))?.is).toBe("retryable");
    expect((await pinterest.refresh?.(context))?.is).toBe("fresh");
  });
});

describe("publishing on Pinterest", () => {
  it("publishes an image with board, section, link, title and alt text", async () => {
    const { name, context } = await account();
    const options = { ...OPTIONS, board_section: "7", title: "Title" };
    const post = await pin({ options });
    const outcome = await pinterest.publish(post, await prepareOnce(pinterest, post, context), context);
    const [entry] = await ledger(simulators, name);
    expect(outcome).toEqual({ is: "live", id: entry?.id, url: entry?.url, urlState: "none" });
    expect(entry).toMatchObject({
      text: "A pin",
      media: [{ alt: "a gradient", type: "image/png", sha256: await sha256(post.media[0] ?? expect.fail()) }],
      detail: { board: "101", section: "7", title: "Title", link: OPTIONS.link },
    });
  });

  it("uploads a video once, and publishes it after processing", async () => {
    const { name, context } = await account();
    const video = mp4(300_000);
    const post = await pin({ media: [video], options: { ...OPTIONS, cover_frame_seconds: 2 } });
    const savedKeys: Json[] = [];
    const save = async (publishKey: Json) => void savedKeys.push(publishKey);
    const waiting = await pinterest.prepare(post, context, null, save);
    expect(waiting).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
    expect(savedKeys).toHaveLength(1);
    const answer = await pinterest.prepare(post, context, savedKeys[0] ?? null, save);
    if (answer.is !== "prepared") return expect.fail(JSON.stringify(answer));
    expect(savedKeys, "the same medium is used").toHaveLength(1);
    expect((await pinterest.publish(post, answer.publishKey, context)).is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([
      { media: [{ bytes: 300_000, sha256: await sha256(video) }], detail: { source: { type: "video_id", cover: 2 } } },
    ]);
  });

  it("publishes nothing if the video cannot be read", async () => {
    const { name, context } = await account();
    const post = await pin({ media: [makeUnreadable(mp4(1_000), false)] });
    await expect(pinterest.prepare(post, context, null, async () => {})).resolves.toMatchObject({ is: "retryable" });
    expect(await ledger(simulators, name)).toEqual([]);
  });

  it("is rejected in the network's words if the board does not exist", async () => {
    const { context } = await account();
    const post = await pin({ options: { ...OPTIONS, board: "999" } });
    const outcome = await pinterest.publish(post, await prepareOnce(pinterest, post, context), context);
    expect(outcome).toEqual({ is: "rejected", error: "content_refused", networkMessage: "Board not found. (40)" });
  });
});

describe("a lost answer of Pinterest", () => {
  it("is reconciled if the pin was created", async () => {
    const { name, context } = await account();
    const post = await pin();
    const publishKey = await prepareOnce(pinterest, post, context);
    await fault(simulators, { platform: "pinterest", account: name, call: "pins/create", do: "reset_after_accept" });
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    const [entry] = await ledger(simulators, name);
    expect(await pinterest.reconcile?.(publishKey, context)).toMatchObject({ is: "live", id: entry?.id });
  });

  it("stays unknown if it was not created, and no other pin is mistaken for it", async () => {
    const { name, context } = await account();
    const otherPin = await pin({ text: "Another pin" });
    await pinterest.publish(otherPin, await prepareOnce(pinterest, otherPin, context), context);
    const post = await pin();
    const publishKey = await prepareOnce(pinterest, post, context);
    await fault(simulators, { platform: "pinterest", account: name, call: "pins/create", do: "reset_before" });
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await pinterest.reconcile?.(publishKey, context))?.is).toBe("unknown");
    expect(pinterest.republishAfterMs).toBeNull();
  });
});

describe("a published pin", () => {
  it("is found until it is removed, and has metrics", async () => {
    const { name, context } = await account();
    const post = await pin();
    const publishKey = await prepareOnce(pinterest, post, context);
    const outcome = await pinterest.publish(post, publishKey, context);
    if (outcome.is !== "live") return expect.fail(outcome.is);
    const published = { id: outcome.id, publishKey };
    expect(await pinterest.recheck(published, context)).toEqual({ is: "there", url: outcome.url });
    expect(await pinterest.readMetrics?.(published, context)).toEqual({
      is: "read",
      metrics: { views: 40, clicks: 3, saves: 2, likes: 4, comments: 1 },
    });
    await refuse(name, "pins/get", 403, { code: 29, message: "no" });
    expect((await pinterest.recheck(published, context)).is).toBe("unknown");
    await fetch(`${simulators.url}/_sim/posts/pinterest/${outcome.id}`, { method: "DELETE" });
    expect(await pinterest.recheck(published, context)).toEqual({ is: "gone" });
    expect((await pinterest.readMetrics?.(published, context))?.is).toBe("unknown");
  });
});

describe("the link of a pin", () => {
  it("is required, and may explicitly be null", () => {
    const { link: _, ...otherOptions } = OPTIONS;
    expect(pinterest.options.safeParse(otherOptions).success).toBe(false);
    expect(pinterest.options.safeParse({ ...otherOptions, link: null }).success).toBe(true);
    expect(pinterest.options.safeParse({ ...otherOptions, link: "" }).success).toBe(false);
  });

  it("is omitted from a pin with a null link, and such a pin is reconciled after a lost answer", async () => {
    const { name, context } = await account();
    const post = await pin({ options: { ...OPTIONS, link: null } });
    const publishKey = await prepareOnce(pinterest, post, context);
    expect((await pinterest.reconcile?.(publishKey, context))?.is).toBe("unknown");
    await fault(simulators, { platform: "pinterest", account: name, call: "pins/create", do: "reset_after_accept" });
    expect((await pinterest.publish(post, publishKey, context)).is).toBe("unknown");
    expect((await pinterest.reconcile?.(publishKey, context))?.is).toBe("live");
    expect(await ledger(simulators, name)).toMatchObject([{ detail: { link: null } }]);
  });
});
