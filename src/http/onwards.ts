// Where a person goes on after the sign-in provider: the request of an application that they were asked about.
import type { Context as HonoContext } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { STATE_LIFE_MS } from "../adapters/idp.ts";
import { base64Url, fromBase64Url } from "../domain/encoding.ts";
import { OAUTH_REQUEST_LENGTH_MAX } from "../domain/limits.ts";
import { cookieAttributes, cookieName } from "./session-cookie.ts";

export const AUTHORIZE_PATH = "/oauth/authorize";
const COOKIE = "onwards";

/** Nothing but a request to authorize is gone on to: no address of another site fits. */
const isOnwards = (address: string) =>
  address.startsWith(`${AUTHORIZE_PATH}?`) && address.length <= AUTHORIZE_PATH.length + OAUTH_REQUEST_LENGTH_MAX;

/** Keeps an address for after the provider; one that is not gone on to, or none, forgets what was kept. */
export function keepOnwards(c: HonoContext, baseUrl: string, address: string | undefined): void {
  forgetOnwards(c, baseUrl);
  if (address === undefined || !isOnwards(address)) return;
  setCookie(c, cookieName(baseUrl, COOKIE), base64Url(new TextEncoder().encode(address)), {
    ...cookieAttributes(baseUrl),
    maxAge: STATE_LIFE_MS / 1000,
  });
}

export function readOnwards(c: HonoContext, baseUrl: string): string | null {
  const kept = getCookie(c, cookieName(baseUrl, COOKIE)) ?? "";
  if (!/^[\w-]+$/.test(kept)) return null;
  let address: string;
  try {
    address = new TextDecoder().decode(fromBase64Url(kept));
  } catch {
    return null;
  }
  return isOnwards(address) ? address : null;
}

export function forgetOnwards(c: HonoContext, baseUrl: string): void {
  deleteCookie(c, cookieName(baseUrl, COOKIE), cookieAttributes(baseUrl));
}
