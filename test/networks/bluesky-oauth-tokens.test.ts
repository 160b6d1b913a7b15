// Publishing on Bluesky with the tokens of a sign-in in the browser, and their renewal, over HTTP.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { nextNonce } from "../../simulators/bluesky/proofs.ts";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { type Deployment, makeOAuthIO, signInByConsent, startDeployment } from "./bluesky-oauth.ts";
import { fault, jpeg, ledger, mp4, png, prepareOnce, publication, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment();
});
afterAll(() => deployment.close());

const makeClientIO = () => makeOAuthIO(simulators, deployment);
const faultCall = (handle: string, call: string, status: number, body: object) =>
  fault(simulators, { platform: "bluesky", account: handle, call, do: "status", status, body });
const readCredential = (credential: Json) => z.record(z.string(), z.json()).parse(credential);

/** The same world, in which `change` alters each call. */
const changing = (io: NetworkIO, change: (url: string, headers: Headers) => void): NetworkIO => ({
  ...io,
  fetchPublic(url, init) {
    const headers = new Headers(init?.headers);
    change(url, headers);
    return io.fetchPublic(url, { ...init, headers });
  },
});

describe("the tokens of a sign-in in the browser", () => {
  it("publish, upload, recheck, measure and take down", async () => {
    const { handle, context } = await signInByConsent(simulators, deployment);
    const posts = [
      publication("a text", { options: { reply_rules: ["mentioned"] } }),
      publication("pictures", { media: [png(0), jpeg(1)] }),
    ];
    for (const post of posts) {
      const publishKey = await prepareOnce(bluesky, post, context);
      const live = await bluesky.publish(post, publishKey, context);
      if (live.is !== "live") return expect.fail(JSON.stringify(live));
      const published = { id: live.id, publishKey };
      expect(await bluesky.recheck(published, context)).toMatchObject({ is: "there" });
      expect(await bluesky.readMetrics?.(published, context)).toMatchObject({ is: "read" });
      expect(await bluesky.takeDown?.(published, context)).toMatchObject({ is: "taken_down" });
    }
    expect(await ledger(simulators, handle)).toHaveLength(posts.length);
  });

  it("get the video service's permission to pass a video on", async () => {
    const { context } = await signInByConsent(simulators, deployment);
    const keys: Json[] = [];
    const video = publication("a video", { media: [mp4(2_000, { width: 100, height: 100, seconds: 1 })] });
    const save = async (publishKey: Json) => void keys.push(publishKey);
    expect(await bluesky.prepare(video, context, null, save)).toMatchObject({ detail: "the video is being processed" });
    expect(keys.at(-1)).toMatchObject({ step: "video" });
  });

  it("are renewed when a third of their life is left, and the new pair works", async () => {
    const before = Date.now();
    const { context } = await signInByConsent(simulators, deployment);
    const endsAt = bluesky.endsAt?.(context.credential) ?? 0;
    expect(endsAt).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(bluesky.refreshAt?.(context.credential)).toBe(endsAt - 20 * 60_000);
    const short = { ...readCredential(context.credential), issued_at: 0, expires_at: 300_000 };
    expect(bluesky.refreshAt?.(short)).toBe(200_000);
    const fresh = await bluesky.refresh?.(context);
    if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
    const next = { ...context, credential: fresh.credential };
    const text = publication("after a renewal");
    const publishKey = await prepareOnce(bluesky, text, next);
    expect(await bluesky.publish(text, publishKey, next)).toMatchObject({ is: "live" });
  });

  it("end for good if a refresh token is used twice", async () => {
    const { context } = await signInByConsent(simulators, deployment);
    const fresh = await bluesky.refresh?.(context);
    if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
    const revoked = { is: "rejected", error: "token_revoked" };
    expect(await bluesky.refresh?.(context)).toMatchObject(revoked);
    expect(await bluesky.refresh?.({ ...context, credential: fresh.credential })).toMatchObject(revoked);
  });

  it.each([
    ["a failing server", 502, { error: "x" }],
    ["a server that cannot read our description", 400, { error: "invalid_client_metadata" }],
    [
      "an answer for another account",
      200,
      {
        access_token: "a",
        refresh_token: "r",
        token_type: "DPoP",
        expires_in: 60,
        scope: "atproto",
        sub: "did:plc:other",
      },
    ],
  ])("are kept for %s", async (_, status, body) => {
    const { handle, context } = await signInByConsent(simulators, deployment);
    await faultCall(handle, "oauth/token", status, body);
    expect(await bluesky.refresh?.(context)).toMatchObject({ is: "retryable" });
  });

  it("end if this deployment no longer has the key that they are bound to", async () => {
    const { context } = await signInByConsent(simulators, deployment);
    const other = await startDeployment();
    const io = { ...context.io, client: other.client };
    expect(await bluesky.refresh?.({ ...context, io })).toMatchObject({ is: "rejected", error: "token_revoked" });
    other.close();
  });

  it("are renewed once the server says that they are no longer valid", async () => {
    const { handle, context } = await signInByConsent(simulators, deployment);
    for (const simulator of simulators.all) if (simulator.platform === "bluesky") simulator.expireToken(handle);
    const text = publication("too late");
    const publishKey = await prepareOnce(bluesky, text, context);
    expect(await bluesky.publish(text, publishKey, context)).toMatchObject({ is: "unauthorized" });
  });

  it.each([
    ["survive a nonce that has expired: the call is repeated, with its file", nextNonce(), { is: "prepared" }],
    [
      "are tried later if the server refuses its own nonce",
      "outdated",
      { is: "retryable", error: "network_unavailable" },
    ],
  ])("%s", async (_, nonce, outcome) => {
    const { handle, context } = await signInByConsent(simulators, deployment);
    const io = makeClientIO();
    const call = "com.atproto.repo.uploadBlob";
    const refusal = { status: 401, body: { error: "use_dpop_nonce" }, headers: { "dpop-nonce": nonce } };
    await fault(simulators, { platform: "bluesky", account: handle, call, do: "status", ...refusal });
    const post = publication("pictures", { media: [png(0)] });
    const prepared = await bluesky.prepare(post, { ...context, io }, null, async () => {});
    expect(prepared).toMatchObject(outcome);
    expect(io.calls.filter(({ url }) => url.endsWith(call))).toHaveLength(2);
  });

  it.each([
    ["no proof", (headers: Headers) => headers.delete("dpop")],
    ["the proof of another call", (headers: Headers) => headers.set("dpop", proofs[0] ?? "")],
  ])("do not work with %s", async (_, change) => {
    const { context } = await signInByConsent(simulators, deployment);
    const text = publication(unique("unproven "));
    const publishKey = await prepareOnce(bluesky, text, context);
    proofs.length = 0;
    await bluesky.reconcile?.(publishKey, {
      ...context,
      io: changing(context.io, (_url, headers) => void proofs.push(headers.get("dpop") ?? "")),
    });
    const io = changing(context.io, (_url, headers) => change(headers));
    const outcome = await bluesky.publish(text, publishKey, { ...context, io });
    expect(outcome.is).toBe("retryable");
    expect((await bluesky.reconcile?.(publishKey, context))?.is).toBe("not_published");
  });
  const proofs: string[] = [];

  it("do not work with another session's key", async () => {
    const [ada, bob] = [await signInByConsent(simulators, deployment), await signInByConsent(simulators, deployment)];
    const stolen = {
      ...readCredential(ada.context.credential),
      proof_key: readCredential(bob.context.credential).proof_key ?? null,
    };
    const text = publication("stolen");
    const publishKey = await prepareOnce(bluesky, text, ada.context);
    const outcome = await bluesky.publish(text, publishKey, { ...ada.context, credential: stolen });
    expect(outcome).toMatchObject({ is: "unauthorized", networkMessage: "Invalid DPoP key binding" });
  });

  it("do not write what the person did not allow", async () => {
    const { handle, context } = await signInByConsent(simulators, deployment);
    await faultCall(handle, "com.atproto.repo.putRecord", 403, {
      error: "ScopeMissingError",
      message: 'Missing required scope "repo:app.bsky.feed.post"',
    });
    const text = publication("not allowed");
    const publishKey = await prepareOnce(bluesky, text, context);
    expect(await bluesky.publish(text, publishKey, context)).toMatchObject({
      is: "rejected",
      error: "permission_missing",
    });
  });
});
