// Connecting a Bluesky account by a sign-in in the browser, over HTTP.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Json } from "../../src/domain/json.ts";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { type Deployment, decide, exchange, makeOAuthIO, startDeployment, startSignIn } from "./bluesky-oauth.ts";
import { fault, prepareOnce, publication, signIn } from "./network-io.ts";
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
const _readCredential = (credential: Json) => z.record(z.string(), z.json()).parse(credential);

/** The same world, in which `change` alters each call. */
const _changing = (io: NetworkIO, change: (url: string, headers: Headers) => void): NetworkIO => ({
  ...io,
  fetchPublic(url, init) {
    const headers = new Headers(init?.headers);
    change(url, headers);
    return io.fetchPublic(url, { ...init, headers });
  },
});

describe("a sign-in in the browser at Bluesky", () => {
  it("connects the account of the handle, whose tokens are bound to a key of their own", async () => {
    const { handle } = await signIn(simulators);
    const io = makeClientIO();
    const started = await startSignIn(io, `@${handle.toUpperCase()}`);
    expect(started.url).toMatch(
      new RegExp(`^${simulators.url}/bluesky/oauth/authorize\\?client_id=.*&request_uri=urn`),
    );
    const granted = await exchange(io, started, await decide(started.url));
    expect(granted).toMatchObject({
      is: "granted",
      accounts: [
        {
          accountId: expect.stringMatching(/^did:plc:/),
          handle,
          tokenExpiresAt: null,
          credential: { pds: `${simulators.url}/bluesky`, issuer: `${simulators.url}/bluesky`, proof_key: {} },
        },
      ],
    });
  });

  it("asks for the permission to write posts, and not for the whole account", async () => {
    const { handle } = await signIn(simulators);
    const io = makeClientIO();
    await startSignIn(io, handle);
    const pushed = io.calls.filter(({ url }) => url.endsWith("/oauth/par")).at(-1)?.body ?? "";
    const scopes = new URLSearchParams(pushed).get("scope")?.split(" ");
    expect(scopes).toContain("repo:app.bsky.feed.post");
    expect(scopes).not.toContain("transition:generic");
  });

  it("asks for the permissions of an app password if the server knows no others", async () => {
    const { handle, context } = await signIn(simulators);
    await faultCall(handle, "oauth/par", 400, { error: "invalid_scope" });
    const io = makeClientIO();
    const started = await startSignIn(io, handle);
    const granted = await exchange(io, started, await decide(started.url));
    if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
    const broad = { ...context, io, credential: granted.accounts[0]?.credential ?? null };
    const text = publication("with the permissions of an app password");
    const publishKey = await prepareOnce(bluesky, text, broad);
    expect(await bluesky.publish(text, publishKey, broad)).toMatchObject({ is: "live" });
  });

  it.each([
    ["an unknown handle", "nobody.bsky.social", /does not know this handle/],
    ["a server without such a sign-in", null, /does not offer/],
  ])("is refused with a hint for %s", async (_, typed, message) => {
    const { handle } = await signIn(simulators);
    const io = makeClientIO();
    const bare: NetworkIO = {
      ...io,
      fetchPublic: async () => Response.json({ error: "NotFound" }, { status: 404 }),
    };
    const request = { redirectUri: "https://client.crier.page/callback", state: "s", challenge: "c" };
    const started = await bluesky.consentByHandle?.start(typed ?? handle, request, typed === null ? bare : io);
    expect(started).toMatchObject({ is: "grant_refused", message: expect.stringMatching(message) });
  });

  it("is refused for a handle that the account does not claim", async () => {
    const { handle } = await signIn(simulators);
    const io = makeClientIO();
    const renamed: NetworkIO = {
      ...io,
      async fetch(url, init) {
        if (!url.startsWith("https://plc.directory/")) return io.fetch(url, init);
        const service = [{ id: "#atproto_pds", serviceEndpoint: `${simulators.url}/bluesky` }];
        return Response.json({ alsoKnownAs: ["at://else.bsky.social"], service });
      },
    };
    const request = { redirectUri: "https://client.crier.page/callback", state: "s", challenge: "c" };
    expect(await bluesky.consentByHandle?.start(handle, request, renamed)).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("does not claim"),
    });
  });

  it.each([
    ["another server's answer", {}, (query: URLSearchParams) => query.set("iss", "https://evil.example"), /not from/],
    ["an answer without its server", {}, (query: URLSearchParams) => query.delete("iss"), /not from the server/],
    ["a wrong code", {}, (query: URLSearchParams) => query.set("code", "cod-wrong"), /rejected the sign-in/],
    ["another account", { account: "alice.bsky.social" }, () => {}, /another account/],
  ])("is refused for %s", async (_, answers, change, message) => {
    const { handle } = await signIn(simulators);
    const io = makeClientIO();
    const started = await startSignIn(io, handle);
    const query = await decide(started.url, { decision: "allow", ...answers });
    change(query);
    expect(await exchange(io, started, query)).toMatchObject({
      is: "grant_refused",
      message: expect.stringMatching(message),
    });
  });

  it("is refused if a needed permission was not granted, and names it", async () => {
    const { handle } = await signIn(simulators);
    const io = makeClientIO();
    const started = await startSignIn(io, handle);
    const query = await decide(started.url);
    await faultCall(handle, "oauth/token", 200, {
      ...{ access_token: "a", refresh_token: "r", token_type: "DPoP", expires_in: 3600, scope: "atproto blob:*/*" },
      sub: z.looseObject({ did: z.string() }).parse(started.pending).did,
    });
    expect(await exchange(io, started, query)).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("repo:app.bsky.feed.post"),
    });
  });

  it("cannot exchange a code twice, and the second attempt ends the session", async () => {
    const { handle } = await signIn(simulators);
    const io = makeClientIO();
    const started = await startSignIn(io, handle);
    const query = await decide(started.url);
    const granted = await exchange(io, started, query);
    if (granted.is !== "granted") return expect.fail(JSON.stringify(granted));
    expect(await exchange(io, started, query)).toMatchObject({ is: "grant_refused", networkMessage: "Code replayed" });
    const credential = granted.accounts[0]?.credential ?? null;
    expect(await bluesky.refresh?.({ credential, io })).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  it("ends on a page of the server if the person waited too long, or has already decided", async () => {
    const { handle } = await signIn(simulators);
    const { url } = await startSignIn(makeClientIO(), handle);
    expect((await decide(url, { decision: "deny" })).get("error")).toBe("access_denied");
    const late = await fetch(`${url}&decision=allow`, { redirect: "manual" });
    expect(late.status).toBe(400);
    expect(await late.text()).toContain("This request has expired");
  });

  it("is refused with the server's words if the server cannot read this deployment's description", async () => {
    const { handle } = await signIn(simulators);
    const { client, close } = await startDeployment();
    close();
    const request = { redirectUri: "https://client.crier.page/callback", state: "s", challenge: "c" };
    const started = await bluesky.consentByHandle?.start(handle, request, { ...makeClientIO(), client });
    expect(started).toMatchObject({
      is: "grant_refused",
      hint: expect.stringContaining(client.id),
      networkMessage: expect.stringContaining("Failed to fetch client metadata"),
    });
  });
});
