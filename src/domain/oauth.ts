// The rules of OAuth 2.1 for the client apps that users authorize at the MCP address: pure functions, no state.
import { base64Url } from "./encoding.ts";
import type { Entropy } from "./ids.ts";
import { URL_LENGTH_MAX } from "./limits.ts";

/** Access to all tools of the MCP address, in one workspace. There is no other scope. */
export const SCOPE = "mcp";

/** How a client authenticates at the token endpoint. */
export const AUTH_METHODS = ["none", "client_secret_post", "client_secret_basic"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** The codes of RFC 6749, 7591 and 8707 that are used here. */
export type OAuthCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A refusal with the codes and texts of OAuth, which its clients read. */
export class OAuthRefusal extends Error {
  override name = "OAuthRefusal";
  readonly code: OAuthCode;
  constructor(code: OAuthCode, description: string) {
    super(description);
    this.code = code;
  }
}

/** The one address at which tokens work (RFC 8707). */
export const getResourceUrl = (baseUrl: string) => `${baseUrl}/mcp`;

/** Whether a `resource` parameter names that address; a trailing slash makes no difference. */
export function isResource(value: string, baseUrl: string): boolean {
  if (!URL.canParse(value)) return false;
  return new URL(value).href.replace(/\/$/, "") === new URL(getResourceUrl(baseUrl)).href;
}

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether an address leads to an app on the user's own machine. */
export const isLoopback = (url: URL) => url.protocol === "http:" && LOOPBACK_HOSTS.has(url.hostname);

/**
 * Whether a user may be redirected to an address with a code: https, or their own machine (MCP, authorization, 2025-11-25).
 */
export function isRedirectUri(value: string): boolean {
  if (value.length > URL_LENGTH_MAX || /[\s\\#]/.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || isLoopback(url);
}

/**
 * Whether `asked` is one of the registered addresses, character by character; the port of a loopback address may differ (RFC
 * 8252 7.3).
 */
export function isRegistered(redirectUri: string, registered: string[]): boolean {
  if (!isRedirectUri(redirectUri)) return false;
  if (registered.includes(redirectUri)) return true;
  if (!isLoopback(new URL(redirectUri))) return false;
  return registered.some((uri) => isLoopback(new URL(uri)) && withoutPort(uri) === withoutPort(redirectUri));
}

const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+)):\d+/, "$1");

/** A `code_challenge` of the method S256: 32 bytes in base64url. */
export const isChallenge = (value: string) => /^[A-Za-z0-9_-]{43}$/.test(value);
/** A `code_verifier` (RFC 7636 4.1). */
export const isVerifier = (value: string) => /^[A-Za-z0-9._~-]{43,128}$/.test(value);

const PREFIXES = { code: "crier_ac_", access: "crier_at_", refresh: "crier_rt_", secret: "crier_cs_" } as const;

/** A new code, token or client secret: its prefix and 32 random bytes in base64url. */
export function makeOAuthToken(kind: keyof typeof PREFIXES, entropy: Entropy): string {
  return PREFIXES[kind] + base64Url(entropy(32));
}

/** Whether a string can be such a token at all; false saves a database query. */
export function isOAuthToken(kind: keyof typeof PREFIXES, value: string): boolean {
  return value.startsWith(PREFIXES[kind]) && /^[A-Za-z0-9_-]{43}$/.test(value.slice(PREFIXES[kind].length));
}

/**
 * `WWW-Authenticate` of a 401 at the MCP address (RFC 9728 5.1). `tokenSent`: the request had a token, and it is not valid.
 */
export function challengeText(baseUrl: string, tokenSent: boolean): string {
  const parts = [`resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`, `scope="${SCOPE}"`];
  if (tokenSent) parts.push('error="invalid_token"', 'error_description="The token is unknown, expired or revoked."');
  return `Bearer ${parts.join(", ")}`;
}

/**
 * Where this deployment describes itself as an OAuth client: the name that the specification suggests
 * (atproto.com/specs/oauth, read 2026-11-27).
 */
export const CLIENT_DOCUMENT = "/oauth-client-metadata.json";
