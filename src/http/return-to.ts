// The address that a user returns to after signing in: a dashboard page, a client app's authorization request, or an
// invitation.
import type { Context as HonoContext } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { STATE_LIFE_MS } from "../adapters/idp.ts";
import { base64Url, fromBase64Url } from "../domain/encoding.ts";
import { OAUTH_REQUEST_LENGTH_MAX } from "../domain/limits.ts";
import { cookieAttributes, cookieName } from "./session-cookie.ts";

export const AUTHORIZE_PATH = "/oauth/authorize";
export const INVITATION_PATH = "/invitation";
export const SIGN_IN_PATH = "/auth";
export const FACTOR_PATH = "/auth/factor";
export const VERIFY_PATH = "/auth/verify";
export const SIGN_UP_PATH = "/auth/sign-up";
const COOKIE = "return_to";

/** The dashboard's pages, except `/`. A link or a bookmark may name a subpage, such as `/posts/:id`. */
const DASHBOARD_PAGES =
  /^\/(?:compose|calendar|posts|channels|slots|approvals|media|activity|analytics|import|settings)(?:\/[\w-]+)?(?:\?[^#\\]*)?$/;

/** Allows only dashboard pages and pages that ask the user something, and never an address of another site. */
const mayReturnTo = (address: string) =>
  // A header cannot carry a line break.
  !/\p{Cc}/u.test(address) &&
  ((DASHBOARD_PAGES.test(address) && address.length <= OAUTH_REQUEST_LENGTH_MAX) ||
    [AUTHORIZE_PATH, INVITATION_PATH, VERIFY_PATH].some(
      (path) => address.startsWith(`${path}?`) && address.length <= path.length + OAUTH_REQUEST_LENGTH_MAX,
    ));

/** Where to go after signing in: the requested address if it is allowed, otherwise the start page. */
export const returnAddress = (address: string | undefined) =>
  address !== undefined && mayReturnTo(address) ? address : "/";

/** Keeps the address to return to. Without an allowed address, clears the stored one. */
export function keepReturnTo(c: HonoContext, baseUrl: string, address: string | undefined): void {
  forgetReturnTo(c, baseUrl);
  if (address === undefined || !mayReturnTo(address)) return;
  setCookie(c, cookieName(baseUrl, COOKIE), base64Url(new TextEncoder().encode(address)), {
    ...cookieAttributes(baseUrl),
    maxAge: STATE_LIFE_MS / 1000,
  });
}

export function readReturnTo(c: HonoContext, baseUrl: string): string | null {
  const cookie = getCookie(c, cookieName(baseUrl, COOKIE)) ?? "";
  if (!/^[\w-]+$/.test(cookie)) return null;
  let address: string;
  try {
    address = new TextDecoder().decode(fromBase64Url(cookie));
  } catch {
    return null;
  }
  return mayReturnTo(address) ? address : null;
}

export function forgetReturnTo(c: HonoContext, baseUrl: string): void {
  deleteCookie(c, cookieName(baseUrl, COOKIE), cookieAttributes(baseUrl));
}
