// The browser's time zone, used as the new workspace's zone at sign-up. A script fills it in; without scripts the zone is
// UTC.
import type { Context as HonoContext } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { html, raw } from "hono/html";
import { STATE_LIFE_MS } from "../adapters/idp.ts";
import { knownTimezone } from "../domain/instant.ts";
import { getNonce, type Html } from "./page.ts";
import { cookieAttributes, cookieName } from "./session-cookie.ts";

const COOKIE = "timezone";

/** A hidden field for sign-up forms. */
export const timezoneField: Html = html`<input type="hidden" name="timezone">`;

/** Fills in the field and adds the zone to the links to providers. */
export const timezoneScript = (c: HonoContext): Html => html`<script nonce="${getNonce(c)}">${raw(SCRIPT)}</script>`;

const SCRIPT = `{
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  for (const field of document.querySelectorAll("input[name=timezone]")) field.value = timezone;
  for (const link of document.querySelectorAll("a[data-provider]")) {
    const url = new URL(link.href);
    url.searchParams.set("timezone", timezone);
    link.href = url.href;
  }
}`;

/** An unknown zone is dropped, because the user cannot correct a value that a script filled in. */
export function readTimezone(value: string | undefined): { timezone?: string } {
  const timezone = value === undefined ? null : knownTimezone(value);
  return timezone === null ? {} : { timezone };
}

/** Keeps the zone while the user is at the provider. An unknown or missing zone clears the stored one. */
export function keepTimezone(c: HonoContext, baseUrl: string, value: string | undefined): void {
  const { timezone } = readTimezone(value);
  forgetTimezone(c, baseUrl);
  if (timezone === undefined) return;
  setCookie(c, cookieName(baseUrl, COOKIE), timezone, { ...cookieAttributes(baseUrl), maxAge: STATE_LIFE_MS / 1000 });
}

export const readKeptTimezone = (c: HonoContext, baseUrl: string): { timezone?: string } =>
  readTimezone(getCookie(c, cookieName(baseUrl, COOKIE)));

export function forgetTimezone(c: HonoContext, baseUrl: string): void {
  deleteCookie(c, cookieName(baseUrl, COOKIE), cookieAttributes(baseUrl));
}
