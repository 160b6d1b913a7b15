// The accounts that a token can post as: a member, and the member's pages.
import * as z from "zod";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import type { Account, NetworkIO } from "../network.ts";
import { type Answer, readResult, retryableOr } from "../shared/http-call.ts";
import { getPermissions, missingOptional } from "../shared/permissions.ts";
import { call } from "./api.ts";
import { readRejection } from "./errors.ts";
import { type Credential, PAGE_COMMENTS, PAGE_SCOPES, rule } from "./rule.ts";

export const PERMISSIONS = getPermissions(rule);
/** How long to wait before a refused token is tried again: a new one is accepted within 10 seconds (errors.ts). */
export const ASK_AGAIN_AFTER_MS = [2_000, 5_000, 10_000];
/** Roles that may post as a page: posts API, permissions. Postiz reads the second name. */
const POSTING_ROLES = [
  "ADMINISTRATOR",
  "CONTENT_ADMIN",
  "CONTENT_ADMINISTRATOR",
  "DIRECT_SPONSORED_CONTENT_POSTER",
] as const;
export const MEMBER = "urn:li:person:";
export const PAGE = "urn:li:organization:";

const Userinfo = z.object({ sub: z.string().min(1), name: z.string().optional(), picture: z.string().nullish() });
// /v2/me: learn.microsoft.com/en-us/linkedin/shared/integrations/people/profile-api, read 2026-11-24.
const Me = z.object({
  id: z.string().min(1),
  localizedFirstName: z.string().default(""),
  localizedLastName: z.string().default(""),
  vanityName: z.string().optional(),
});
// `organization`: community-management/organizations/organization-access-control-by-role, read 2026-11-22; open-source
// publishers also read `organizationTarget`.
const Roles = z.object({
  elements: z.array(
    z.object({ role: z.string(), organization: z.string().optional(), organizationTarget: z.string().optional() }),
  ),
});
const Pages = z.object({
  results: z.record(z.string(), z.object({ localizedName: z.string().optional(), vanityName: z.string().optional() })),
});

export type Grant = Omit<Credential, "author">;
type Covered = Account<Credential>[] | { is: "token_refused" } | Retryable;
type Shown = Pick<Account<Credential>, "handle" | "name" | "avatarUrl" | "profileUrl">;

export const isPage = ({ author }: Pick<Credential, "author">): boolean => author.startsWith(PAGE);

/**
 * The member who owns the token, by whichever of two calls the app's product offers. The network's answer if neither works.
 */
export async function readMember(
  io: NetworkIO,
  accessToken: string,
): Promise<(Shown & { id: string }) | { answer: Answer }> {
  const answer = await call(io, accessToken, "GET", "/v2/userinfo");
  const user = readResult(answer, Userinfo);
  if (user !== undefined) {
    // These scopes do not give access to a member's public name in addresses.
    const { sub: id, name = id, picture = null } = user;
    return { id, handle: name, name, avatarUrl: picture, profileUrl: null };
  }
  if (answer.is === "silence" || answer.status !== 403) return { answer };
  const byProfile = await call(io, accessToken, "GET", "/v2/me");
  const me = readResult(byProfile, Me);
  if (me === undefined) return { answer: byProfile };
  const name = `${me.localizedFirstName} ${me.localizedLastName}`.trim() || me.id;
  const profileUrl =
    me.vanityName === undefined ? null : `https://www.linkedin.com/in/${encodeURIComponent(me.vanityName)}/`;
  // The picture is hosted by the network, and has no lasting address.
  return { id: me.id, handle: name, name, avatarUrl: null, profileUrl };
}

export const isRefusedToken = (answer: Answer) => answer.is === "answer" && answer.status === 401;

/** Like `readMember`, and again after some seconds while the token is refused. */
export async function readMemberPatiently(io: NetworkIO, accessToken: string): ReturnType<typeof readMember> {
  for (const waitMs of ASK_AGAIN_AFTER_MS) {
    const member = await readMember(io, accessToken);
    if (!("answer" in member) || !isRefusedToken(member.answer)) return member;
    await io.wait(waitMs);
  }
  return readMember(io, accessToken);
}

/** The accounts that a grant may cover: the member, the member's pages, or both. */
interface Reach {
  member: boolean;
  pages: boolean;
  /** Absent if the granted scopes are unknown. */
  granted?: string[];
}
export const toReach = (granted: string[]): Reach => ({
  member: granted.includes("w_member_social"),
  pages: PAGE_SCOPES.every((scope) => granted.includes(scope)),
  granted,
});

/** All accounts that a token may post as: the member first, then the pages. */
export async function covered(
  io: NetworkIO,
  grant: Grant,
  { member: asMember, pages: asPages, granted }: Reach,
  read: typeof readMember,
): Promise<Covered> {
  const asker = { io, credential: { issued_at: 0 } };
  const member = await read(io, grant.access_token);
  if ("answer" in member)
    return retryableOr(member.answer, readRejection(member.answer, asker), { is: "token_refused" }, io.now());
  const tokenExpiresAt = grant.refresh_token === null ? grant.expires_at : grant.refresh_expires_at;
  const account = (author: string, profile: Shown, missing: string[]): Account<Credential> => ({
    is: "connected",
    accountId: author,
    ...profile,
    credential: { ...grant, author },
    tokenExpiresAt,
    ...(granted === undefined ? {} : { missingPermissions: missing }),
  });
  const { id, ...memberProfile } = member;
  const missing = missingOptional(PERMISSIONS, granted ?? []);
  const ofMember = missing.filter((scope) => scope !== PAGE_COMMENTS);
  const ofPage = missing.filter((scope) => scope === PAGE_COMMENTS);
  const self = asMember ? [account(`${MEMBER}${id}`, memberProfile, ofMember)] : [];
  if (!asPages) return self;
  const pages = await fetchPages(io, grant.access_token);
  if (!Array.isArray(pages)) return pages;
  return [...self, ...pages.map(({ urn, ...pageProfile }) => account(urn, pageProfile, ofPage))];
}

/** The pages that a token may post as. */
export async function fetchPages(io: NetworkIO, accessToken: string) {
  const asker = { io, credential: { issued_at: 0 } };
  const path = "/rest/organizationAcls?q=roleAssignee&state=APPROVED&count=100";
  const answer = await call(io, accessToken, "GET", path, { finder: true });
  const roles = readResult(answer, Roles)?.elements;
  // A token without the scopes of pages only covers the member.
  if (roles === undefined) return retryableOr(answer, readRejection(answer, asker), [], io.now());
  const posting: readonly string[] = POSTING_ROLES;
  const urns = roles
    .filter(({ role }) => posting.includes(role))
    .map(({ organization, organizationTarget }) => organization ?? organizationTarget ?? "")
    .filter((urn) => /^urn:li:organization:\d+$/.test(urn));
  const ids = [...new Set(urns)].map((urn) => urn.slice(PAGE.length));
  if (ids.length === 0) return [];
  const namesAnswer = await call(io, accessToken, "GET", `/rest/organizationsLookup?ids=List(${ids.join(",")})`);
  const names = readResult(namesAnswer, Pages)?.results;
  const trouble =
    names === undefined ? retryableOr(namesAnswer, readRejection(namesAnswer, asker), null, io.now()) : null;
  if (trouble !== null) return trouble;
  return ids.map((id) => {
    const { vanityName, localizedName = null } = names?.[id] ?? {};
    return {
      urn: `${PAGE}${id}`,
      handle: vanityName ?? localizedName ?? id,
      name: localizedName,
      // The logo is hosted by the network, and has no lasting address.
      avatarUrl: null,
      profileUrl: `https://www.linkedin.com/company/${encodeURIComponent(vanityName ?? id)}/`,
    };
  });
}
