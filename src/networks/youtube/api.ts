// Calls to the Data API with the channel's access token, and to Google's OAuth 2.0 token endpoint
// (developers.google.com/identity/protocols/oauth2/web-server, as quoted by others).
import * as z from "zod";
import type { App, NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import { lifetimeS, token } from "../shared/oauth2.ts";
import type { Credential } from "./rule.ts";

export const API = "https://www.googleapis.com/youtube/v3";
export const UPLOAD_API = "https://www.googleapis.com/upload/youtube/v3";

export function call(
  { credential, io }: { credential: Pick<Credential, "access_token">; io: NetworkIO },
  url: string,
  init: RequestInit = {},
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<Answer> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${credential.access_token}`);
  return ask((signal) => io.fetch(url, { ...init, headers, signal }), timeoutMs);
}

export const TOKEN = "https://oauth2.googleapis.com/token";

export const Tokens = z.object({
  access_token: token,
  expires_in: lifetimeS,
  refresh_token: token.optional(),
  scope: z.string().default(""),
  /**
   * Seconds; only for grants that expire by themselves, such as those of an app in testing. The guide of searlsco/posse_party
   * for such an app (docs/account_setup/youtube.md, read 2026-11-26) shows Google's answer, with 604799.
   */
  refresh_token_expires_in: lifetimeS.optional(),
});
export type Tokens = z.output<typeof Tokens>;
const OAuthError = z.object({ error: z.string(), error_description: z.string().optional() });

export function form(io: Pick<NetworkIO, "fetch">, url: string, fields: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams(fields);
  return ask((signal) => io.fetch(url, { method: "POST", body, signal }), CALL_TIMEOUT_MS);
}

/** A complete answer of the token endpoint; an incomplete answer never replaces a credential. */
export function tokensIn(answer: Answer): Tokens | undefined {
  return answer.is === "answer" && answer.status === 200 ? Tokens.safeParse(answer.body).data : undefined;
}

/** The token endpoint's refusal; null for any other answer. */
export function oauthError(answer: Answer): { error: string; message: string } | null {
  if (answer.is === "silence" || answer.status < 400 || answer.status >= 500) return null;
  const parsed = OAuthError.safeParse(answer.body).data;
  if (parsed === undefined) return null;
  const { error, error_description } = parsed;
  return { error, message: error_description ? `${error_description} (${error})` : error };
}

export function renewal(io: Pick<NetworkIO, "fetch">, app: App, refreshToken: string): Promise<Answer> {
  return form(io, TOKEN, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: app.clientId,
    client_secret: app.clientSecret,
  });
}
