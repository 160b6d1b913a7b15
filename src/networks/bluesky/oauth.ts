// Sign-in in the browser at the account's own server, and the renewal of its session (atproto.com/specs/oauth, read
// 2026-11-27). The account is known before the sign-in starts, by its handle: the answer must be from the server that the
// account's identity leads to, and for that account.
import * as z from "zod";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import type { ConsentByHandle, Granted, GrantRefused, NetworkIO, Refreshed } from "../network.ts";
import { type Answer, readResult, unavailable } from "../shared/http-call.ts";
import { lifetimeS, token } from "../shared/oauth2.ts";
import { onPds, readAvatarUrl, resolveHandle } from "./api.ts";
import {
  findAuthorizationServer,
  postForm,
  readMetadata,
  readProblem,
  USE_APP_PASSWORD,
} from "./authorization-server.ts";
import { type Credential, type OAuthCredential, ProofKey } from "./credential.ts";
import { didDocument, findHandle, findPdsUrl } from "./identity.ts";
import { makeProofKey } from "./proof.ts";

/**
 * The permissions that Crier asks for: to write posts with their rules, to upload files, to read figures, and to ask the
 * video service (atproto.com/specs/permission, read 2026-11-27). `aud=*`: which service reads figures and takes videos is
 * the choice of the account's server.
 */
const PERMISSIONS = [
  "atproto",
  "repo:app.bsky.feed.post",
  "repo:app.bsky.feed.threadgate",
  "repo:app.bsky.feed.postgate",
  "blob:*/*",
  "rpc:app.bsky.feed.getPosts?aud=*",
  "rpc:app.bsky.video.getUploadLimits?aud=*",
  "rpc:com.atproto.repo.uploadBlob?aud=*",
];
/** The permissions of an app password, for servers that know no others ("Transitional scopes", same source). */
const BROAD = ["atproto", "transition:generic"];

/** The state of a sign-in between its start and its answer. */
const Pending = z.object({
  did: z.string(),
  handle: z.string(),
  pds: z.string(),
  issuer: z.string(),
  token_endpoint: z.string(),
  proof_key: ProofKey,
  client_key: z.string().nullable(),
});
type Pending = z.output<typeof Pending>;

const refused = (message: string, hint: string, networkMessage?: string): GrantRefused => ({
  is: "grant_refused",
  message,
  hint,
  ...(networkMessage === undefined ? {} : { networkMessage }),
});

const START_AGAIN = "Start again: a sign-in is valid for a few minutes.";

/** Finds the identity of a handle or DID. Both directions must agree. */
async function findIdentity(
  io: NetworkIO,
  name: string,
): Promise<Pick<Pending, "did" | "handle" | "pds"> | GrantRefused | Retryable> {
  const did = name.startsWith("did:") ? name : await resolveHandle(io, name);
  if (did === null)
    return refused("Bluesky does not know this handle.", "Enter it with its domain, such as ada.bsky.social.");
  const document = did === undefined ? null : await didDocument(io, did);
  const pds = findPdsUrl(document);
  if (did === undefined || document === null || pds === null)
    return { is: "retryable", error: "network_unavailable", detail: "the account's server could not be found" };
  const claimed = findHandle(document);
  const handle = name.startsWith("did:") ? (claimed ?? did) : name;
  if (claimed !== handle && handle !== did)
    return refused("The account does not claim this handle.", "Enter the handle that the account has now.");
  return { did, handle, pds };
}

const Pushed = z.object({ request_uri: z.string().max(2_000) });

export const consentByHandle: ConsentByHandle<Credential> = {
  permissions: [...PERMISSIONS, ...BROAD.slice(1)],

  async start(typed, { redirectUri, state, challenge }, io) {
    const { client } = io;
    if (client === undefined) throw new Error("this deployment has no address that servers could read");
    const name = typed.trim().replace(/^@/, "").toLowerCase();
    const identity = await findIdentity(io, name);
    if ("is" in identity) return identity;
    const server = await findAuthorizationServer(io, identity.pds);
    if ("is" in server) return server;
    const { issuer, token_endpoint, authorization_endpoint, pushed_authorization_request_endpoint: endpoint } = server;
    const pending: Pending = {
      ...identity,
      ...{ issuer, token_endpoint, proof_key: await makeProofKey(), client_key: await client.getActiveKey() },
    };
    const push = (scopes: string[]) =>
      postForm(io, server, endpoint, {
        fields: {
          response_type: "code",
          redirect_uri: redirectUri,
          state,
          scope: scopes.join(" "),
          code_challenge: challenge,
          code_challenge_method: "S256",
          login_hint: name,
        },
        proofKey: pending.proof_key,
        clientKey: pending.client_key,
      });
    let answer = await push(PERMISSIONS);
    if (answer !== null && readProblem(answer)?.error === "invalid_scope") answer = await push(BROAD);
    if (answer === null) throw new Error("the active key of this deployment is missing");
    const pushed = readResult(answer, Pushed);
    if (pushed === undefined) return refuseSignIn(answer, io, client.id);
    const url = new URL(authorization_endpoint);
    url.searchParams.set("client_id", client.id);
    url.searchParams.set("request_uri", pushed.request_uri);
    return { is: "started", url: url.href, pending };
  },

  async exchange({ code, redirectUri, verifier, issuer, pending: kept }, io) {
    const pending = Pending.parse(kept);
    if (issuer !== pending.issuer)
      return refused(
        "The answer is not from the server of this account.",
        "Start again, and report this if it repeats.",
      );
    const answer = await postForm(io, pending, pending.token_endpoint, {
      fields: { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier },
      proofKey: pending.proof_key,
      clientKey: pending.client_key,
    });
    if (answer === null) return refused("The sign-in was started with a key that has been replaced.", START_AGAIN);
    const tokens = readResult(answer, Tokens);
    if (tokens === undefined) return refuseSignIn(answer, io, io.client?.id ?? "");
    return identify(pending, tokens, io);
  },
};

function refuseSignIn(answer: Answer, io: NetworkIO, clientId: string): GrantRefused | Retryable {
  const problem = readProblem(answer);
  if (problem === null) return unavailable(answer, io.now());
  const { error, error_description: words = error } = problem;
  if (error === "invalid_grant") return refused("The account's server rejected the sign-in.", START_AGAIN, words);
  const hint = `The server must be able to read ${clientId}. ${USE_APP_PASSWORD}`;
  return refused("The account's server does not accept Crier's request.", hint, words);
}

const Tokens = z.object({
  access_token: token,
  refresh_token: token,
  token_type: z.string().regex(/^dpop$/i),
  expires_in: lifetimeS,
  scope: z.string(),
  sub: z.string(),
});

/** The credential of new tokens. */
function withTokens(
  account: Omit<OAuthCredential, "access_token" | "refresh_token" | "issued_at" | "expires_at">,
  { access_token, refresh_token, expires_in }: z.output<typeof Tokens>,
  now: number,
): OAuthCredential {
  return { ...account, access_token, refresh_token, issued_at: now, expires_at: now + expires_in * 1000 };
}

async function identify(
  { token_endpoint: _used, ...pending }: Pending,
  tokens: z.output<typeof Tokens>,
  io: NetworkIO,
): Promise<Granted<Credential> | GrantRefused> {
  if (tokens.sub !== pending.did)
    return refused(
      `The sign-in was for another account than ${pending.handle}.`,
      "Sign in with this account, or start again with the other account's handle.",
    );
  const granted = tokens.scope.split(" ");
  const missing = granted.includes("transition:generic") ? [] : PERMISSIONS.filter((name) => !granted.includes(name));
  if (!granted.includes("atproto") || missing.length > 0)
    return refused(
      `The sign-in lacks ${missing.join(", ") || "atproto"}.`,
      `Allow everything. Or: ${USE_APP_PASSWORD}`,
    );
  const { did } = pending;
  const credential = withTokens(pending, tokens, io.now());
  const session = readResult(await onPds({ credential, io }, "com.atproto.server.getSession"), Session);
  const handle = session?.did === did ? session.handle : pending.handle;
  return {
    is: "granted",
    accounts: [
      {
        is: "connected",
        accountId: did,
        handle,
        name: null,
        avatarUrl: await readAvatarUrl(io, did),
        profileUrl: `https://bsky.app/profile/${did}`,
        credential: { ...credential, handle },
        tokenExpiresAt: null,
      },
    ],
  };
}
// A host name: RFC 1035, 2.3.4.
const Session = z.object({ did: z.string(), handle: z.string().regex(/^[\x21-\x7e]{1,253}$/) });

/** How long before its end a token is renewed: servers issue tokens for 5 to 60 minutes. */
const REFRESH_AHEAD_MAX_MS = 20 * MINUTE_MS;

export const endsAt = ({ expires_at }: OAuthCredential): number => expires_at;
/** When to renew: when a third of the token's life is left, and at most 20 minutes before its end. */
export const refreshAt = ({ issued_at, expires_at }: OAuthCredential): number =>
  expires_at - Math.min(REFRESH_AHEAD_MAX_MS, (expires_at - issued_at) / 3);

/** A refresh token works once: the new pair is stored before its first use. A repeated one ends the session. */
export async function refresh({
  credential,
  io,
}: {
  credential: OAuthCredential;
  io: NetworkIO;
}): Promise<Refreshed<Credential>> {
  const server = await readMetadata(io, credential.issuer);
  if ("is" in server)
    return server.is === "retryable"
      ? server
      : { is: "retryable", error: "network_unavailable", detail: "the account's server does not describe itself" };
  const answer = await postForm(io, server, server.token_endpoint, {
    fields: { grant_type: "refresh_token", refresh_token: credential.refresh_token },
    proofKey: credential.proof_key,
    clientKey: credential.client_key,
  });
  if (answer === null) return revoked("the key that this sign-in was bound to has been replaced");
  const problem = readProblem(answer);
  if (problem?.error === "invalid_grant") return revoked("the server ended the sign-in");
  const tokens = readResult(answer, Tokens);
  // An answer for another account never replaces a credential.
  if (tokens === undefined || tokens.sub !== credential.did) return unavailable(answer, io.now());
  return { is: "fresh", credential: withTokens(credential, tokens, io.now()) };
}

const revoked = (detail: string): Refreshed<Credential> => ({ is: "rejected", error: "token_revoked", detail });
