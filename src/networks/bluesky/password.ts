// Sessions of an app password. Signs in once with it, and then renews the session. Both tokens are kept, because Bluesky allows only 300
// sign-ins a day.
import * as z from "zod";
import { fromBase64Url } from "../../domain/encoding.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import type { Connected, NetworkIO, Refreshed } from "../network.ts";
import type { Answer } from "../shared/http-call.ts";
import { token } from "../shared/oauth2.ts";
import { ENTRYWAY, errorName, json, onHost, readAvatarUrl, resolveHandle } from "./api.ts";
import type { Credential, PasswordCredential } from "./credential.ts";
import { tryLater } from "./errors.ts";
import { DidDocument, didDocument, findPdsUrl, withoutSlash } from "./identity.ts";
import { connectInput } from "./rule.ts";

/** How long before its end a token is renewed. This is longer than the longest upload, so no token expires during an upload. */
const REFRESH_AHEAD_MS = 20 * MINUTE_MS;

const Session = z.object({
  did: z.string().startsWith("did:"),
  // A host name: RFC 1035, 2.3.4.
  handle: z.string().regex(/^[\x21-\x7e]{1,253}$/),
  accessJwt: token,
  refreshJwt: token,
  didDoc: DidDocument.optional().catch(undefined),
});
const Tokens = Session.pick({ did: true, handle: true, accessJwt: true, refreshJwt: true });

function createSession(io: NetworkIO, host: string, identifier: string, password: string): Promise<Answer> {
  return onHost(io, host, "/xrpc/com.atproto.server.createSession", json({ identifier, password }));
}

/** Signs in once and finds the account's server. */
export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { identifier: typed, app_password, service } = connectInput.parse(input);
  const identifier = typed.trim().replace(/^@/, "");
  const entryway = service === undefined ? await resolveHomeServer(identifier, io) : withoutSlash(service);
  const answer = await createSession(io, entryway, identifier, app_password);
  const session = answer.is === "answer" && answer.status === 200 ? Session.safeParse(answer.body) : null;
  if (!session?.success) return refusedSignIn(answer, io.now());
  const { did, handle, accessJwt, refreshJwt, didDoc } = session.data;
  const pds = findPdsUrl(didDoc) ?? findPdsUrl(await didDocument(io, did)) ?? (service === undefined ? null : entryway);
  if (pds === null) {
    return {
      is: "retryable",
      error: "network_unavailable",
      detail: "the account's server could not be found through its identity",
    };
  }
  return {
    is: "connected",
    accountId: did,
    handle,
    name: null,
    avatarUrl: await readAvatarUrl(io, did),
    profileUrl: `https://bsky.app/profile/${did}`,
    credential: {
      did,
      handle,
      identifier,
      app_password,
      entryway,
      pds,
      access_jwt: accessJwt,
      refresh_jwt: refreshJwt,
    },
    tokenExpiresAt: null,
  };
}

/** Servers of Bluesky itself, whose accounts sign in at the entryway. */
const OWN_SERVER = /(^|\.)(bsky\.social|bsky\.network)$/;

/** Where an identity signs in: at its own server, or at the entryway for Bluesky's servers and for unknown identities. */
async function resolveHomeServer(identifier: string, io: NetworkIO): Promise<string> {
  const did = identifier.startsWith("did:") ? identifier : await resolveHandle(io, identifier);
  const pds = did ? findPdsUrl(await didDocument(io, did)) : null;
  return pds === null || OWN_SERVER.test(new URL(pds).hostname) ? ENTRYWAY : pds;
}

function refusedSignIn(answer: Answer, now: number): Connected<Credential> {
  switch (errorName(answer)) {
    case "AuthFactorTokenRequired":
      return {
        is: "credentials_refused",
        field: "/app_password",
        message: "This is the account's main password, and the account requires a second factor.",
        hint: "Create an app password in Settings, App passwords, and use that.",
      };
    case "AccountTakedown":
    case "AccountDeactivated":
    case "AccountNotFound":
      return {
        is: "credentials_refused",
        field: "/identifier",
        message: "The account is not active.",
        hint: "Use another account.",
      };
    case "AuthenticationRequired":
    case "InvalidRequest":
      return {
        is: "credentials_refused",
        field: "/app_password",
        message: "The network does not know this identifier with this app password.",
        hint: "Check the handle, and create a new app password in Settings, App passwords.",
      };
    default:
      return tryLater(answer, now);
  }
}

/** The time in the access token's `exp`, in epoch milliseconds; null if the token is unreadable. */
export function endsAt(credential: PasswordCredential): number | null {
  const [, payload = ""] = credential.access_jwt.split(".");
  try {
    const { exp } = z.object({ exp: z.number() }).parse(JSON.parse(new TextDecoder().decode(fromBase64Url(payload))));
    return exp * 1000;
  } catch {
    return null;
  }
}
/** When to renew: well before the access token ends. */
export const refreshAt = (credential: PasswordCredential): number =>
  (endsAt(credential) ?? REFRESH_AHEAD_MS) - REFRESH_AHEAD_MS;

/**
 * Gets a new pair of tokens. If the refresh token is no longer valid, signs in again. Only the network's own answer counts as
 * a refusal.
 */
export async function refresh({
  credential,
  io,
}: {
  credential: PasswordCredential;
  io: NetworkIO;
}): Promise<Refreshed<Credential>> {
  const headers = { authorization: `Bearer ${credential.refresh_jwt}` };
  const refreshed = await onHost(io, credential.entryway, "/xrpc/com.atproto.server.refreshSession", {
    method: "POST",
    headers,
  });
  const fresh = tokensIn(refreshed, credential);
  if (fresh !== null) return { is: "fresh", credential: fresh };
  const name = errorName(refreshed);
  if (name !== "ExpiredToken" && name !== "InvalidToken") {
    return name === "AccountTakedown" || name === "AccountDeactivated"
      ? revoked("the account is not active")
      : tryLater(refreshed, io.now());
  }
  const signedIn = await createSession(io, credential.entryway, credential.identifier, credential.app_password);
  const renewed = tokensIn(signedIn, credential);
  if (renewed !== null) return { is: "fresh", credential: renewed };
  const refusedSignIn = signedIn.is === "answer" && signedIn.status === 401 && errorName(signedIn) !== null;
  return refusedSignIn ? revoked("the app password was revoked") : tryLater(signedIn, io.now());
}

function revoked(detail: string): Refreshed<Credential> {
  return { is: "rejected", error: "token_revoked", detail };
}

/** An incomplete answer, or one for another account, never replaces a credential. */
function tokensIn(answer: Answer, credential: PasswordCredential): PasswordCredential | null {
  if (answer.is === "silence" || answer.status !== 200) return null;
  const tokens = Tokens.safeParse(answer.body);
  if (!tokens.success || tokens.data.did !== credential.did) return null;
  const { handle, accessJwt, refreshJwt } = tokens.data;
  return { ...credential, handle, access_jwt: accessJwt, refresh_jwt: refreshJwt };
}
