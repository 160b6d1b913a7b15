// Consent, tokens, and as whom the account posts: the member, or a page that they administer.
import * as z from "zod";
import { DAY_MS } from "../../domain/limits.ts";
import type { Busy } from "../../domain/outcome.ts";
import type { Account, Connected, Consent, Refreshed, Wire, Work } from "../network.ts";
import { handedOver } from "../protocols/oauth.ts";
import { type Answer, unavailable } from "../protocols/send.ts";
import { call, callToken, refusalOf, resultOf } from "./api.ts";
import type { Credential } from "./rule.ts";

/** What every app has (Share on LinkedIn, Sign In with LinkedIn). */
const MEMBER_SCOPES = ["openid", "profile", "w_member_social"];
/** What only reviewed apps have; with it, pages can be posted to. */
const PAGE_SCOPE = "w_organization_social";
const ACLS_SCOPE = "rw_organization_admin";
const POSTING_ROLES = ["ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN", "DIRECT_SPONSORED_CONTENT_POSTER"];
/** An access token lives 60 days. */
const REFRESH_AHEAD_MS = 5 * DAY_MS;

const Tokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  scope: z.string().optional(),
  refresh_token: z.string().min(1).optional(),
});
const Member = z.object({ sub: z.string(), name: z.string().optional(), picture: z.string().optional() });
const Acls = z.object({
  elements: z.array(
    z.object({ role: z.string(), organizationTarget: z.string().optional(), organization: z.string().optional() }),
  ),
});
const Organization = z.object({ localizedName: z.string().optional(), vanityName: z.string().optional() });

type Tokened = Omit<Credential, "author">;
type Accounts = { is: "accounts"; accounts: Account<Credential>[] } | { is: "token_refused" } | Busy;

/** Everybody as whom the token may post: the member first, then the pages. */
async function accountsOf(wire: Wire, tokens: Tokened, withPages: boolean): Promise<Accounts> {
  const answer = await call(wire, tokens.access_token, "GET", "/v2/userinfo");
  const member = resultOf(answer, Member);
  if (member === undefined) return busyOr(answer, wire, { is: "token_refused" });
  const name = member.name ?? member.sub;
  const accounts = [accountOf(tokens, `urn:li:person:${member.sub}`, name, name, member.picture ?? null, null)];
  if (!withPages) return { is: "accounts", accounts };
  const path = "/rest/organizationAcls?q=roleAssignee&state=APPROVED&count=100";
  const acls = await call(wire, tokens.access_token, "GET", path, { restMethod: "FINDER" });
  const pages = resultOf(acls, Acls)?.elements;
  if (pages === undefined) return busyOr(acls, wire, { is: "accounts", accounts });
  for (const { role, organizationTarget, organization } of pages) {
    const urn = organizationTarget ?? organization;
    if (urn === undefined || !POSTING_ROLES.includes(role)) continue;
    const id = urn.slice(urn.lastIndexOf(":") + 1);
    const page = resultOf(await call(wire, tokens.access_token, "GET", `/v2/organizations/${id}`), Organization);
    const vanity = page?.vanityName ?? id;
    accounts.push(
      accountOf(
        tokens,
        urn,
        vanity,
        page?.localizedName ?? vanity,
        null,
        `https://www.linkedin.com/company/${vanity}/`,
      ),
    );
  }
  return { is: "accounts", accounts };
}

function accountOf(
  tokens: Tokened,
  author: string,
  handle: string,
  name: string,
  avatarUrl: string | null,
  profileUrl: string | null,
): Account<Credential> {
  return {
    is: "connected",
    accountId: author,
    handle,
    name,
    avatarUrl,
    profileUrl,
    credential: { ...tokens, author },
    tokenExpiresAt: tokens.refresh_token === null ? tokens.expires_at : null,
  };
}

function busyOr<Other>(answer: Answer, wire: Wire, other: Other): Other | Busy {
  const refusal = refusalOf(answer, wire.now());
  if (refusal === null || refusal.is === "unsure") return unavailable(answer);
  return refusal.is === "busy" ? refusal : other;
}

export async function connect(input: unknown, wire: Wire): Promise<Connected<Credential>> {
  const { access_token, refresh_token = null, expires_at, account_id, scopes } = handedOver.parse(input);
  const missing = scopes === undefined ? [] : MEMBER_SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0 && account_id === undefined) {
    return {
      is: "credentials_refused",
      field: "/scopes",
      message: `The token lacks ${missing.join(", ")}.`,
      hint: "Let the person consent to all of them.",
    };
  }
  const tokens = { access_token, refresh_token, expires_at: expires_at === undefined ? null : Date.parse(expires_at) };
  const found = await accountsOf(wire, tokens, account_id !== undefined);
  if (found.is === "busy") return found;
  if (found.is === "token_refused") {
    return {
      is: "credentials_refused",
      field: "/access_token",
      message: "LinkedIn does not take this token.",
      hint: `Hand over a member's token that has not expired, with the scopes ${MEMBER_SCOPES.join(", ")}.`,
    };
  }
  const [member, ...pages] = found.accounts;
  const chosen =
    account_id === undefined
      ? member
      : found.accounts.find(({ accountId }) => accountId.endsWith(`:${account_id}`) || accountId === account_id);
  if (chosen !== undefined) return chosen;
  const offered = [member, ...pages].flatMap((account) => account?.accountId ?? []);
  return {
    is: "credentials_refused",
    field: "/account_id",
    message: "The token's member may not post as this account.",
    hint: `They may post as ${offered.join(", ")}.`,
  };
}

const REFUSED = {
  is: "grant_refused",
  message: "LinkedIn did not take the consent.",
  hint: "Ask for a new link and try again.",
} as const;

// No PKCE: web apps are confidential clients.
export const consent: Consent<Credential> = {
  address({ clientId, scopes }, { redirectUri, state }) {
    const scope = (scopes ?? MEMBER_SCOPES).join(" ");
    const query = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, state, scope };
    return `https://www.linkedin.com/oauth/v2/authorization?${new URLSearchParams(query)}`;
  },
  async exchange({ code, redirectUri }, app, wire) {
    const answer = await callToken(wire, { grant_type: "authorization_code", code, redirect_uri: redirectUri });
    const tokens = resultOf(answer, Tokens);
    if (tokens === undefined) return busyOr(answer, wire, REFUSED);
    const wanted = app.scopes ?? MEMBER_SCOPES;
    const granted = tokens.scope?.split(/[\s,]+/) ?? wanted;
    const missing = wanted.filter((scope) => !granted.includes(scope));
    if (missing.length > 0) {
      return {
        is: "grant_refused",
        message: `The consent lacks ${missing.join(", ")}.`,
        hint: "Consent to all that is asked for.",
      };
    }
    const withPages = granted.includes(PAGE_SCOPE) && granted.includes(ACLS_SCOPE);
    const { access_token, refresh_token = null, expires_in } = tokens;
    const found = await accountsOf(
      wire,
      { access_token, refresh_token, expires_at: wire.now() + expires_in * 1000 },
      withPages,
    );
    if (found.is === "token_refused") return REFUSED;
    return found.is === "busy" ? found : { is: "granted", accounts: found.accounts };
  },
};

export function refreshAt({ expires_at, refresh_token }: Credential): number | null {
  return refresh_token === null || expires_at === null ? null : expires_at - REFRESH_AHEAD_MS;
}

export async function refresh({ credential, wire }: Work<Credential>): Promise<Refreshed<Credential>> {
  if (credential.refresh_token === null) {
    return {
      is: "refused",
      error: "token_expired",
      detail: "the app gets no refresh tokens; consent is needed every 60 days",
    };
  }
  const answer = await callToken(wire, { grant_type: "refresh_token", refresh_token: credential.refresh_token });
  const tokens = resultOf(answer, Tokens);
  if (tokens === undefined) {
    const isOver = answer.is === "answer" && answer.status === 400 && resultError(answer) === "invalid_grant";
    return isOver
      ? { is: "refused", error: "token_revoked", detail: "LinkedIn refuses the refresh token" }
      : unavailable(answer);
  }
  const { access_token, refresh_token = credential.refresh_token, expires_in } = tokens;
  return {
    is: "fresh",
    credential: { ...credential, access_token, refresh_token, expires_at: wire.now() + expires_in * 1000 },
  };
}

function resultError(answer: Answer): string | undefined {
  return answer.is === "answer" ? z.object({ error: z.string() }).safeParse(answer.body).data?.error : undefined;
}
