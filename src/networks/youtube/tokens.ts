// Google's OAuth 2.0 tokens (developers.google.com/identity/protocols/oauth2/web-server, as others quote it). A refresh
// token is not rotated: the old one stays good.
import * as z from "zod";
import { MINUTE_MS } from "../../domain/limits.ts";
import type { App, Refreshed, Wire, Work } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, unavailable } from "../shared/http-call.ts";
import type { Credential } from "./rule.ts";

export const TOKEN = "https://oauth2.googleapis.com/token";
/** Longer than the longest upload, so that no token runs out in the middle of one. They live an hour. */
const REFRESH_AHEAD_MS = 20 * MINUTE_MS;

const Tokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).optional(),
  scope: z.string().default(""),
  /** Seconds; only for grants that end by themselves, as those of an app in testing. */
  refresh_token_expires_in: z.number().positive().optional(),
});
export type Tokens = z.output<typeof Tokens>;
const OAuthError = z.object({ error: z.string(), error_description: z.string().optional() });

export function form(wire: Wire, url: string, fields: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams(fields);
  return ask((signal) => wire.fetch(url, { method: "POST", body, signal }), CALL_TIMEOUT_MS);
}

/** A complete answer of the token endpoint; an incomplete one never replaces a credential. */
export function tokensIn(answer: Answer): Tokens | undefined {
  return answer.is === "answer" && answer.status === 200 ? Tokens.safeParse(answer.body).data : undefined;
}

/** What the token endpoint refused; null when it refused nothing. */
export function oauthError(answer: Answer): { error: string; detail: string } | null {
  if (answer.is === "silence" || answer.status < 400 || answer.status >= 500) return null;
  const parsed = OAuthError.safeParse(answer.body).data;
  if (parsed === undefined) return null;
  const { error, error_description } = parsed;
  return { error, detail: (error_description ? `${error_description} (${error})` : error).slice(0, 300) };
}

export function renewal(wire: Wire, app: App, refreshToken: string): Promise<Answer> {
  return form(wire, TOKEN, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: app.clientId,
    client_secret: app.clientSecret,
  });
}

export type Grant = Omit<Credential, "channel_id"> & {
  /** Epoch milliseconds after which a person must consent again; null: never. */
  ends_at: number | null;
};

export function grantOf(tokens: Tokens, refreshToken: string, now: number): Grant {
  const { access_token, expires_in, refresh_token_expires_in: ends } = tokens;
  return {
    access_token,
    refresh_token: refreshToken,
    expires_at: now + expires_in * 1000,
    ends_at: ends === undefined ? null : now + ends * 1000,
  };
}

export function refreshAt({ refresh_token, expires_at }: Credential): number | null {
  return refresh_token === null ? null : expires_at - REFRESH_AHEAD_MS;
}

/** A new access token. Only `invalid_grant` says that the refresh token is dead. */
export async function refresh({ credential, wire }: Work<Credential>): Promise<Refreshed<Credential>> {
  const { refresh_token } = credential;
  if (refresh_token === null) {
    return {
      is: "refused",
      error: "token_expired",
      detail: "the access token has ended, and there is none to renew it",
    };
  }
  if (wire.app === null) {
    return { is: "busy", error: "network_unavailable", detail: "this deployment has no app with Google" };
  }
  const answer = await renewal(wire, wire.app, refresh_token);
  const tokens = tokensIn(answer);
  if (tokens !== undefined) {
    const { ends_at: _, ...fresh } = grantOf(tokens, tokens.refresh_token ?? refresh_token, wire.now());
    return { is: "fresh", credential: { ...fresh, channel_id: credential.channel_id } };
  }
  const refused = oauthError(answer);
  if (refused?.error === "invalid_grant") return { is: "refused", error: "token_revoked", detail: refused.detail };
  // Anything else is about the app, or passes: the channel keeps its credential.
  return { ...unavailable(answer), ...(refused === null ? {} : { detail: refused.detail }) };
}
