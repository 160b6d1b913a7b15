// Sign-in through an OpenID provider: discovery, authorization code with PKCE, a nonce, and a signed state.
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { base64Url } from "../domain/encoding.ts";
import { MINUTE_MS, NAME_LENGTH_MAX } from "../domain/limits.ts";
import { readAtMost } from "../domain/read-at-most.ts";
import { withTimeLimit } from "../domain/time-limit.ts";
import { cleanName } from "../domain/visible-name.ts";
import { hmac, sha256Hex } from "./digest.ts";

export interface IdpSettings {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  signingKey: string;
}
/** The identity that the provider asserts. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Verified by the provider, in the provider's spelling. */
  email: string;
  name: string | null;
}
type Entered = { is: "identity"; identity: Identity } | { is: "refused"; error: IdpError };
/** Consumes a state by its id. Returns false if it was already consumed. */
type TakeState = (id: string, expiresAt: number) => Promise<boolean>;
/** The values of `/auth?error=`. */
export type IdpError =
  | "state_invalid"
  | "provider_refused"
  | "provider_unavailable"
  | "email_not_verified"
  | "identity_changed"
  | "sign_up_closed";

export interface Idp {
  name: string;
  /** `url`: where to send the browser. `cookie`: a secret for this browser; `enter` accepts the answer only with it. */
  start(): Promise<{ url: string; cookie: string }>;
  /**
   * Reads the provider's redirect. `cookie`: the value that `start` gave to this browser. A state is consumed before its
   * code is exchanged.
   */
  enter(callback: URL, cookie: string | null, takeState: TakeState): Promise<Entered>;
}

export const STATE_LIFE_MS = 10 * MINUTE_MS;
const SCOPES = "openid email profile";
const ALGORITHMS = ["RS256", "PS256", "ES256"];
/** How far a provider's clock may be ahead of ours. */
const CLOCK_TOLERANCE_S = 30;
/** OpenID Connect Core 1.0, section 2, "sub": at most 255 ASCII characters (read 2026-11-24). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
/** Milliseconds for all calls to the provider within one browser request. */
export const PROVIDER_TIMEOUT_MS = 15_000;
/** How many bytes of an answer are read. A key set or a token has a few thousand bytes. */
const ANSWER_BYTES_MAX = 1 << 19;

/** Calls the provider, with a limit on the answer's size. */
async function callProvider(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const bytes = await readAtMost(response.body, ANSWER_BYTES_MAX + 1);
  if (bytes.byteLength > ANSWER_BYTES_MAX) throw new Error(`an answer of more than ${ANSWER_BYTES_MAX} bytes`);
  return new Response(bytes.byteLength === 0 ? null : bytes, response);
}

const makeCallOptions = (signal: AbortSignal, insecure: boolean) => ({
  signal,
  [oauth.allowInsecureRequests]: insecure,
  [oauth.customFetch]: callProvider,
});

/** `redirectUri`: our callback, as registered with the provider. `insecure`: allows a provider on plain http, for tests. */
export function createIdp(settings: IdpSettings, redirectUri: string, insecure: boolean): Idp {
  const issuer = new URL(settings.issuer);
  const key = new TextEncoder().encode(settings.signingKey);

  const discover = async (signal: AbortSignal): Promise<oauth.AuthorizationServer> => {
    const response = await oauth.discoveryRequest(issuer, makeCallOptions(signal, insecure));
    return oauth.processDiscoveryResponse(issuer, response);
  };
  /** Values that can be derived again only with both the cookie and our key, so none of them is stored. */
  const derive = async (purpose: string, cookie: string) => base64Url(await hmac(key, `${purpose}|${cookie}`));

  const verifyState = async (state: string, cookie: string): Promise<{ id: string; expiresAt: number } | null> => {
    const verified = await jwtVerify(state, key, {
      issuer: settings.issuer,
      audience: "sign-in",
      algorithms: ["HS256"],
      requiredClaims: ["exp", "jti"],
    }).catch(() => null);
    const { jti, exp, browser } = verified?.payload ?? {};
    if (jti === undefined || exp === undefined || browser !== (await sha256Hex(cookie))) return null;
    return { id: jti, expiresAt: exp * 1000 };
  };

  return {
    name: settings.name,
    async start() {
      const cookie = oauth.generateRandomState();
      const server = await withTimeLimit(PROVIDER_TIMEOUT_MS, discover);
      if (server.authorization_endpoint === undefined) throw new Error("the provider names no authorization endpoint");
      const state = await new SignJWT({ browser: await sha256Hex(cookie) })
        .setProtectedHeader({ alg: "HS256" })
        .setIssuer(settings.issuer)
        .setAudience("sign-in")
        .setJti(oauth.generateRandomState())
        .setExpirationTime(new Date(Date.now() + STATE_LIFE_MS))
        .sign(key);
      const url = new URL(server.authorization_endpoint);
      const parameters = {
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: SCOPES,
        state,
        nonce: await derive("nonce", cookie),
        code_challenge: await oauth.calculatePKCECodeChallenge(await derive("pkce", cookie)),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, cookie };
    },

    async enter(callback, cookie, takeState) {
      const state = callback.searchParams.get("state");
      const verified = cookie === null || state === null ? null : await verifyState(state, cookie);
      if (cookie === null || state === null || verified === null) return refused("state_invalid");
      return withTimeLimit(PROVIDER_TIMEOUT_MS, async (signal) => {
        const server = await discover(signal).catch(() => null);
        if (server === null) return refused("provider_unavailable");
        if (!(await takeState(verified.id, verified.expiresAt))) return refused("state_invalid");
        const walk = { state, nonce: await derive("nonce", cookie), verifier: await derive("pkce", cookie) };
        const claims = await exchangeCode({
          server,
          settings,
          callback,
          redirectUri,
          walk,
          options: makeCallOptions(signal, insecure),
        }).catch(() => null);
        return claims === null ? refused("provider_refused") : readIdentity(claims);
      });
    },
  };
}

interface Exchange {
  server: oauth.AuthorizationServer;
  settings: IdpSettings;
  callback: URL;
  redirectUri: string;
  walk: { state: string; nonce: string; verifier: string };
  options: ReturnType<typeof makeCallOptions>;
}

/**
 * The claims of the token that the provider returns for the callback's code. Throws unless it is signed, and issued for this
 * sign-in.
 */
async function exchangeCode({
  server,
  settings,
  callback,
  redirectUri,
  walk,
  options,
}: Exchange): Promise<oauth.IDToken> {
  const client: oauth.Client = { client_id: settings.clientId };
  const answer = oauth.validateAuthResponse(server, client, callback, walk.state);
  const auth = oauth.ClientSecretPost(settings.clientSecret);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    answer,
    redirectUri,
    walk.verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: walk.nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response, options);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  const { alg = "" } = decodeProtectedHeader(tokens.id_token ?? "");
  if (claims === undefined || !ALGORITHMS.includes(alg)) throw new Error(`a token that is signed with "${alg}"`);
  return claims;
}

const refused = (error: IdpError): Entered => ({ is: "refused", error });

function readIdentity(claims: oauth.IDToken): Entered {
  if (!SUBJECT.test(claims.sub) || claims.iat > Date.now() / 1000 + CLOCK_TOLERANCE_S)
    return refused("provider_refused");
  if (claims.email_verified !== true || typeof claims.email !== "string") return refused("email_not_verified");
  const name = typeof claims.name === "string" ? cleanName(claims.name.slice(0, NAME_LENGTH_MAX)) : "";
  const identity = { issuer: claims.iss, subject: claims.sub, email: claims.email, name: name === "" ? null : name };
  return { is: "identity", identity };
}
