// The session cookie, and the proof that a request with it came from our own pages.
import type { Context as HonoContext } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { DEVICE_LIFE_MS } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";

/** Browsers accept `__Host-` cookies only over https; plain http is for local runs. */
const isSecure = (baseUrl: string) => baseUrl.startsWith("https:");
export const cookieName = (baseUrl: string, name: string) => (isSecure(baseUrl) ? `__Host-${name}` : name);
export const cookieAttributes = (baseUrl: string) =>
  ({ httpOnly: true, secure: isSecure(baseUrl), sameSite: "Lax", path: "/" }) as const;

export function readSessionCookie(c: HonoContext, baseUrl: string): string | null {
  return getCookie(c, cookieName(baseUrl, "session")) ?? null;
}

/** `expiresAt`: epoch milliseconds. */
export function giveSessionCookie(c: HonoContext, baseUrl: string, token: string, expiresAt: number): void {
  setCookie(c, cookieName(baseUrl, "session"), token, { ...cookieAttributes(baseUrl), expires: new Date(expiresAt) });
}

/**
 * Ends the session in the browser, and clears unfinished work there: drafts and alt texts that the dashboard stores
 * (https://www.w3.org/TR/clear-site-data/, read 2026-11-24). Cookies stay: `device` grants no access.
 */
export function clearSessionCookie(c: HonoContext, baseUrl: string): void {
  deleteCookie(c, cookieName(baseUrl, "session"), cookieAttributes(baseUrl));
  c.header("Clear-Site-Data", '"storage"');
}

/** The device token that this browser stores from an earlier sign-in, as input for an operation. */
export function readDeviceCookie(c: HonoContext, baseUrl: string): { device?: string } {
  const device = getCookie(c, cookieName(baseUrl, "device"));
  return device === undefined ? {} : { device };
}

/** It outlives sessions and signing out, and grants no access. */
export function giveDeviceCookie(c: HonoContext, baseUrl: string, device: string): void {
  setCookie(c, cookieName(baseUrl, "device"), device, { ...cookieAttributes(baseUrl), maxAge: DEVICE_LIFE_MS / 1000 });
}

/** A state-changing call authenticated by the cookie must come from our own origin. Throws `csrf_refused`. */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  // Pages of other origins can send forms and plain text without a preflight request.
  const type = request.headers.get("content-type");
  const isForm = type !== null && !/^(?:application\/(?:json|x-ndjson)|text\/csv)\b/i.test(type);
  if (!isSameOrigin(request, baseUrl) || isForm) throw refuse("csrf_refused");
}

/** Whether a browser sent this from a page of our own origin. */
export function isSameOrigin(request: Request, baseUrl: string): boolean {
  const site = request.headers.get("sec-fetch-site");
  return site === null ? request.headers.get("origin") === new URL(baseUrl).origin : site === "same-origin";
}
