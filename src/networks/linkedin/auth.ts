// Consent, tokens and whom they speak for: learn.microsoft.com/en-us/linkedin/shared/authentication, read 2026-11-20.
import * as z from "zod";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import { DAY_MS } from "../../domain/limits.ts";
import type {
  Account,
  Connected,
  ConnectorContext,
  Consent,
  CredentialsRefused,
  NetworkIO,
  Refreshed,
} from "../network.ts";
import { resultOf, retryableOr, unavailable } from "../shared/http-call.ts";
import { expiryOf, handedOver, scopesRefused } from "../shared/oauth2.ts";
import { call, callToken } from "./api.ts";
import { rejectionOf } from "./errors.ts";
import type { Credential } from "./rule.ts";

const IDENTITY = ["openid", "profile"];
const AS_MEMBER = [...IDENTITY, "w_member_social"];
const AS_PAGE = [...IDENTITY, "w_organization_social", "r_organization_social", "rw_organization_admin"];
/** An app without the Community Management product cannot ask for the last four: hand over its members' tokens instead. */
const ASKED = [...new Set([...AS_MEMBER, ...AS_PAGE, "r_member_postAnalytics"])];
/** Access lives 60 days; an upload never meets the end. */
const REFRESH_AHEAD_MS = 5 * DAY_MS;
/** Who may post as a page: posts API, permissions. Postiz reads the second name. */
const POSTING_ROLES = [
  "ADMINISTRATOR",
  "CONTENT_ADMIN",
  "CONTENT_ADMINISTRATOR",
  "DIRECT_SPONSORED_CONTENT_POSTER",
] as const;
const MEMBER = "urn:li:person:";
const PAGE = "urn:li:organization:";

const Tokens = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).optional(),
  refresh_token_expires_in: z.number().positive().optional(),
  scope: z.string().optional(),
});
const Userinfo = z.object({ sub: z.string().min(1), name: z.string().optional(), picture: z.string().nullish() });
// `organization`: community-management/organizations/organization-access-control-by-role, read 2026-11-22; publishers read
// `organizationTarget` too.
const Roles = z.object({
  elements: z.array(
    z.object({ role: z.string(), organization: z.string().optional(), organizationTarget: z.string().optional() }),
  ),
});
const Pages = z.object({
  results: z.record(z.string(), z.object({ localizedName: z.string().optional(), vanityName: z.string().optional() })),
});

type Grant = Omit<Credential, "author">;
type Covered = Account<Credential>[] | { is: "token_refused" } | Retryable;

export const isPage = ({ author }: Pick<Credential, "author">): boolean => author.startsWith(PAGE);

/** Everybody that a token may post as: the member first, then the pages (when `pages`). */
async function covered(io: NetworkIO, grant: Grant, pages: boolean): Promise<Covered> {
  const asked = await call(io, grant.access_token, "GET", "/v2/userinfo");
  const member = resultOf(asked, Userinfo);
  if (member === undefined) return retryableOr(asked, rejectionOf(asked, io.now()), { is: "token_refused" }, io.now());
  const tokenExpiresAt = grant.refresh_token === null ? grant.expires_at : grant.refresh_expires_at;
  const account = (
    author: string,
    more: Pick<Account<Credential>, "handle" | "name" | "avatarUrl" | "profileUrl">,
  ) => ({
    is: "connected" as const,
    accountId: author,
    ...more,
    credential: { ...grant, author },
    tokenExpiresAt,
  });
  // These scopes do not give a member's public name in addresses.
  const { sub, name = sub, picture = null } = member;
  const self = account(`${MEMBER}${sub}`, { handle: name, name, avatarUrl: picture, profileUrl: null });
  if (!pages) return [self];
  const found = await pagesOf(io, grant.access_token);
  if (!Array.isArray(found)) return found;
  return [self, ...found.map(({ urn, ...more }) => account(urn, more))];
}

async function pagesOf(io: NetworkIO, accessToken: string) {
  const path = "/rest/organizationAcls?q=roleAssignee&state=APPROVED&count=100";
  const answer = await call(io, accessToken, "GET", path, { finder: true });
  const roles = resultOf(answer, Roles)?.elements;
  // A token without the scopes of pages is a member's alone.
  if (roles === undefined) return retryableOr(answer, rejectionOf(answer, io.now()), [], io.now());
  const posting: readonly string[] = POSTING_ROLES;
  const urns = roles
    .filter(({ role }) => posting.includes(role))
    .map(({ organization, organizationTarget }) => organization ?? organizationTarget ?? "")
    .filter((urn) => /^urn:li:organization:\d+$/.test(urn));
  const ids = [...new Set(urns)].map((urn) => urn.slice(PAGE.length));
  if (ids.length === 0) return [];
  const named = await call(io, accessToken, "GET", `/rest/organizationsLookup?ids=List(${ids.join(",")})`);
  const names = resultOf(named, Pages)?.results;
  const trouble = names === undefined ? retryableOr(named, rejectionOf(named, io.now()), null, io.now()) : null;
  if (trouble !== null) return trouble;
  return ids.map((id) => {
    const { vanityName, localizedName = null } = names?.[id] ?? {};
    return {
      urn: `${PAGE}${id}`,
      handle: vanityName ?? localizedName ?? id,
      name: localizedName,
      // A logo is an image of the network's own, which has no lasting address.
      avatarUrl: null,
      profileUrl: `https://www.linkedin.com/company/${encodeURIComponent(vanityName ?? id)}/`,
    };
  });
}

const lacking = (needed: string[], granted: string[]) => needed.filter((scope) => !granted.includes(scope));

export async function connect(input: unknown, io: NetworkIO): Promise<Connected<Credential>> {
  const { access_token, refresh_token = null, expires_at, account_id, scopes } = handedOver.parse(input);
  const missing = lacking(account_id?.startsWith(PAGE) ? AS_PAGE : AS_MEMBER, scopes ?? ASKED);
  if (missing.length > 0) return scopesRefused(missing);
  const expiresAt = expiryOf(expires_at);
  const grant: Grant = { access_token, refresh_token, expires_at: expiresAt, refresh_expires_at: null };
  const pages = account_id?.startsWith(MEMBER) !== true && lacking(AS_PAGE, scopes ?? AS_PAGE).length === 0;
  const accounts = await covered(io, grant, pages);
  if (!Array.isArray(accounts)) {
    if (accounts.is === "retryable") return accounts;
    return {
      is: "credentials_refused",
      field: "/access_token",
      message: "LinkedIn does not take this token.",
      hint: `Hand over a token that has not expired, with the scopes ${AS_MEMBER.join(", ")}.`,
    };
  }
  const chosen = accounts.find(({ accountId }) => accountId === account_id);
  const [first, ...others] = accounts;
  if (chosen !== undefined) return chosen;
  return account_id === undefined && others.length === 0 && first !== undefined ? first : whichOf(accounts);
}

function whichOf(accounts: Account<Credential>[]): CredentialsRefused {
  return {
    is: "credentials_refused",
    field: "/account_id",
    message: "The token has several accounts, or not this one.",
    hint: `Name one: ${accounts.map(({ accountId, handle }) => `${accountId} (${handle})`).join(", ")}.`,
  };
}

const NOT_TAKEN = {
  is: "grant_refused",
  message: "LinkedIn did not take the consent.",
  hint: "Ask for a new link and try again.",
} as const;

// No PKCE: it is for native apps there, and our app has a secret.
export const consent: Consent<Credential> = {
  address({ clientId, scopes }, { redirectUri, state }) {
    const query = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      state,
      // An app without the Community Management product must ask for less, or the consent page refuses it.
      scope: (scopes ?? ASKED).join(" "),
    };
    return `https://www.linkedin.com/oauth/v2/authorization?${new URLSearchParams(query)}`;
  },
  async exchange({ code, redirectUri }, _app, io) {
    const answer = await callToken(io, { grant_type: "authorization_code", code, redirect_uri: redirectUri });
    const tokens = resultOf(answer, Tokens);
    if (tokens === undefined) return retryableOr(answer, rejectionOf(answer, io.now()), NOT_TAKEN, io.now());
    // Separated by commas or by spaces: sources differ.
    const granted = tokens.scope?.split(/[\s,]+/) ?? ASKED;
    const missing = lacking(AS_MEMBER, granted);
    if (missing.length > 0) {
      const message = `The consent lacks ${missing.join(", ")}.`;
      return { is: "grant_refused", message, hint: "Consent to all that is asked for." };
    }
    const accounts = await covered(io, grantOf(tokens, io.now()), lacking(AS_PAGE, granted).length === 0);
    if (Array.isArray(accounts)) return { is: "granted", accounts };
    return accounts.is === "retryable" ? accounts : NOT_TAKEN;
  },
};

function grantOf({ access_token, refresh_token, ...seconds }: z.output<typeof Tokens>, now: number): Grant {
  const { expires_in, refresh_token_expires_in: left } = seconds;
  return {
    access_token,
    refresh_token: refresh_token ?? null,
    expires_at: now + expires_in * 1000,
    refresh_expires_at: left === undefined ? null : now + left * 1000,
  };
}

/** An access token that ends with the grant itself is not renewed: nothing would be won. */
export function refreshAt({ expires_at, refresh_token, refresh_expires_at }: Credential): number | null {
  if (refresh_token === null || expires_at === null) return null;
  return refresh_expires_at !== null && expires_at >= refresh_expires_at ? null : expires_at - REFRESH_AHEAD_MS;
}

export { endsAt } from "../shared/oauth2.ts";

/** A renewal moves only the access token's end: the grant's stays where it was. */
export async function refresh({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> {
  const { refresh_token, refresh_expires_at } = credential;
  if (refresh_token === null) return { is: "rejected", error: "token_expired", detail: "the token cannot be renewed" };
  const answer = await callToken(io, { grant_type: "refresh_token", refresh_token });
  const tokens = resultOf(answer, Tokens);
  if (tokens !== undefined) {
    const grant = grantOf(tokens, io.now());
    const kept = {
      refresh_token: grant.refresh_token ?? refresh_token,
      refresh_expires_at: grant.refresh_expires_at ?? refresh_expires_at,
    };
    return { is: "fresh", credential: { ...credential, ...grant, ...kept } };
  }
  const error = answer.is === "answer" ? z.object({ error: z.string() }).safeParse(answer.body).data?.error : undefined;
  if (error !== "invalid_grant") return unavailable(answer, io.now());
  return { is: "rejected", error: "token_revoked", detail: "LinkedIn refuses the refresh token" };
}
