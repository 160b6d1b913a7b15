import { avatarUrl } from "../avatar.ts";
// The members and pages. Each account is a member who administers one page, writes for a second page, and can only view a third
// page.

export interface Page {
  urn: string;
  vanity: string;
  role: "ADMINISTRATOR" | "CONTENT_ADMIN" | "ANALYST";
}

/** FNV-1a: the same name always gives the same number. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}

export const memberUrn = (account: string): string => `urn:li:person:${hashName(account).toString(36)}`;

export function listPages(account: string): Page[] {
  const page = (suffix: string, role: Page["role"]): Page => {
    const vanity = `${account}-${suffix}`;
    return { urn: `urn:li:organization:${hashName(vanity)}`, vanity, role };
  };
  return [page("page", "ADMINISTRATOR"), page("press", "CONTENT_ADMIN"), page("lab", "ANALYST")];
}

/** The URN of the page that an account administers, whose vanity name is `<account>-page`. */
export const pageUrn = (account: string): string => listPages(account)[0]?.urn ?? "";

/** The member for a page's or a member's name. */
export const getOwner = (handle: string): string => handle.replace(/-(page|press|lab)$/, "");

const getMemberId = (account: string) => memberUrn(account).slice("urn:li:person:".length);

/** The answer of `/v2/userinfo` for a member. */
export const buildUserinfo = (account: string): object => ({
  sub: getMemberId(account),
  name: account,
  given_name: account,
  family_name: "",
  picture: avatarUrl("media.licdn.com", account),
});

/** The answer of `/v2/me` for a member: the fields of `r_basicprofile`. */
export const buildProfile = (account: string): object => ({
  id: getMemberId(account),
  firstName: { localized: { en_US: account }, preferredLocale: { country: "US", language: "en" } },
  localizedFirstName: account,
  lastName: { localized: { en_US: "" }, preferredLocale: { country: "US", language: "en" } },
  localizedLastName: "",
  localizedHeadline: "",
  vanityName: account,
});

/** The organization behind a vanity name: every name has one, except those that begin with `nobody`. */
export function findOrganization(vanityName: string): { id: number; vanityName: string; localizedName: string } | null {
  const vanity = vanityName.toLowerCase();
  if (vanity === "" || vanity.startsWith("nobody")) return null;
  return { id: hashName(vanity), vanityName: vanity, localizedName: nameOfPage(vanity) };
}

const nameOfPage = (vanity: string) => `The ${vanity} page`;
