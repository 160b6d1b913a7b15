// Sign-in through an OpenID provider: discovery, authorization code with PKCE, a nonce, and a signed state.
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { base64Url } from "../domain/encoding.ts";
import { MINUTE_MS, NAME_LENGTH_MAX } from "../domain/limits.ts";
import { cleanName } from "../domain/visible-name.ts";
import { hmac, sha256Hex } from "./digest.ts";

export interface IdpSettings {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  signingKey: string;
}
/** Whom the provider names. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Verified by the provider, in lower case. */
  email: string;
  name: string | null;
}
type Entered =
  | { is: "identity"; identity: Identity; stateId: string; stateExpiresAt: number }
  | { is: "refused"; error: IdpError };
/** What `/auth?error=` says. */
export type IdpError =
  | "state_invalid"
  | "provider_refused"
  | "provider_unavailable"
  | "email_not_verified"
  | "identity_changed"
  | "sign_up_closed";

export interface Idp {
  name: string;
  /** Where to send the browser, and the secret that its cookie binds the answer to. */
  start(): Promise<{ url: string; cookie: string }>;
  /** Reads the provider's redirect. `cookie`: what `start` gave to this browser. */
  enter(callback: URL, cookie: string | null): Promise<Entered>;
}

export const STATE_LIFE_MS = 10 * MINUTE_MS;
const SCOPES = "openid email profile";
const ALGORITHMS = ["RS256", "PS256", "ES256"];

/** `redirectUri`: our callback, as the provider knows it. `insecure`: a provider on plain http, for tests. */
export function createIdp(settings: IdpSettings, redirectUri: string, insecure: boolean): Idp {
  const issuer = new URL(settings.issuer);
  const client: oauth.Client = { client_id: settings.clientId };
  const options = { [oauth.allowInsecureRequests]: insecure };
  const key = new TextEncoder().encode(settings.signingKey);

  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const response = await oauth.discoveryRequest(issuer, options);
    return oauth.processDiscoveryResponse(issuer, response);
  };
  /** Values that only the holder of the cookie and of our key can make again, so that none of them is stored. */
  const derive = async (purpose: string, cookie: string) => base64Url(await hmac(key, `${purpose}|${cookie}`));

  return {
    name: settings.name,
    async start() {
      const cookie = oauth.generateRandomState();
      const server = await discover();
      if (server.authorization_endpoint === undefined) throw new Error("the provider names no authorization endpoint");
      const state = await new SignJWT({ browser: await sha256Hex(cookie) })
        .setProtectedHeader({ alg: "HS256" })
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

    async enter(callback, cookie) {
      const refused = (error: IdpError): Entered => ({ is: "refused", error });
      const state = callback.searchParams.get("state");
      if (cookie === null || state === null) return refused("state_invalid");
      const verified = await jwtVerify(state, key, {
        audience: "sign-in",
        algorithms: ["HS256"],
        requiredClaims: ["exp", "jti"],
      }).catch(() => null);
      const { jti, exp, browser } = verified?.payload ?? {};
      if (jti === undefined || exp === undefined || browser !== (await sha256Hex(cookie)))
        return refused("state_invalid");
      let server: oauth.AuthorizationServer;
      try {
        server = await discover();
      } catch {
        return refused("provider_unavailable");
      }
      try {
        const answer = oauth.validateAuthResponse(server, client, callback, state);
        const verifier = await derive("pkce", cookie);
        const auth = oauth.ClientSecretPost(settings.clientSecret);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          answer,
          redirectUri,
          verifier,
          options,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: await derive("nonce", cookie),
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, response, options);
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        if (tokens.id_token === undefined) return refused("provider_refused");
        const { alg } = decodeProtectedHeader(tokens.id_token);
        if (claims === undefined || alg === undefined || !ALGORITHMS.includes(alg)) return refused("provider_refused");
        if (claims.email_verified !== true || typeof claims.email !== "string") return refused("email_not_verified");
        const name = typeof claims.name === "string" ? cleanName(claims.name.slice(0, NAME_LENGTH_MAX)) : "";
        const email = claims.email.trim().toLowerCase();
        const identity = { issuer: claims.iss, subject: claims.sub, email, name: name === "" ? null : name };
        return { is: "identity", identity, stateId: jti, stateExpiresAt: exp * 1000 };
      } catch {
        return refused("provider_refused");
      }
    },
  };
}
