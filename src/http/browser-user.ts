// Finds the user who is signed in, and signs users in and out, for the pages that ask the user something.
import type { Context as HonoContext } from "hono";
import { setCookie } from "hono/cookie";
import { html } from "hono/html";
import { sha256Hex } from "../adapters/digest.ts";
import type { Caller } from "../context.ts";
import { FACTOR_CHALLENGE_LIFE_MS } from "../domain/limits.ts";
import { Refusal } from "../domain/refusal.ts";
import { methods } from "../operations/accounts/methods.ts";
import { signedIn } from "../operations/caller.ts";
import { identify } from "../operations/identify.ts";
import { handlers } from "../operations/index.ts";
import type { HttpEnv } from "./mount.ts";
import type { Html, PageStatus } from "./page.ts";
import { FACTOR_PATH } from "./return-to.ts";
import {
  clearSessionCookie,
  cookieAttributes,
  cookieName,
  readDeviceCookie,
  readSessionCookie,
} from "./session-cookie.ts";
import { giveCookies, sessionIn } from "./signed-in.ts";

type C = HonoContext<HttpEnv>;
/** The challenge of a sign-in that still needs a second factor. */
export const FACTOR_COOKIE = "factor";
export const NOTHING = { params: undefined, query: undefined, body: undefined, idempotencyKey: null };

export interface BrowserUser {
  caller: Extract<Caller, { kind: "session" }>;
  token: string;
}

/** Returns the user who is signed in on this browser, or null. */
export async function readBrowserUser(c: C): Promise<BrowserUser | null> {
  const { ctx } = c.var;
  const token = readSessionCookie(c, ctx.settings.baseUrl);
  if (token === null) return null;
  try {
    return { caller: signedIn(await identify(ctx, { auth: "session" }, { token, workspaces: [] })), token };
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null;
    throw error;
  }
}

/** A value that only our own page, in this session and at this address, can send. */
export const makeConsentToken = (c: C, { token }: BrowserUser) =>
  sha256Hex(`consent|${token}|${new URL(c.req.url).search}`);

/** A sign-in provider, and the address where its sign-in starts. After the sign-in, the browser returns to this page. */
export interface Provider {
  name: string;
  url: string;
}

/** `returnTo`: the address of the page. */
export async function providersFor(c: C, returnTo: string): Promise<Provider[]> {
  const { body } = await methods(c.var.ctx, { kind: "nobody" }, NOTHING);
  const query = `continue=${encodeURIComponent(returnTo)}`;
  return (body?.providers ?? []).map(({ name, start_url }) => ({ name, url: `${start_url}?${query}` }));
}

/** Whether sign-up is open without an invitation. */
export async function takesAnybody(c: C): Promise<boolean> {
  const { body } = await methods(c.var.ctx, { kind: "nobody" }, NOTHING);
  return body?.sign_up === "open";
}

/** Why the sign-in failed, in words for the page. */
export interface NotSignedIn {
  alert: string;
  status: PageStatus;
}

/**
 * Signs a browser in to an existing or a new account. Redirects to `returnTo`, or to the page that asks for the second
 * factor.
 */
export async function signIn(
  c: C,
  operation: "accounts.sign-in" | "accounts.sign-up" | "accounts.reset",
  body: object,
  returnTo: string,
): Promise<NotSignedIn | Response> {
  const { ctx } = c.var;
  try {
    const input = { ...NOTHING, ...readDeviceCookie(c, ctx.settings.baseUrl), body };
    const reply = await handlers[operation].invoke(ctx, { kind: "nobody" }, input);
    await giveCookies(c, ctx, sessionIn(reply.body));
    return c.redirect(returnTo, 303);
  } catch (error) {
    const challenge = readChallenge(error);
    return challenge === null ? notDone(error) : askForFactor(c, challenge, returnTo);
  }
}

/** The challenge in a refusal that asks for the second factor; null for any other error. */
export function readChallenge(error: unknown): string | null {
  const challenge = error instanceof Refusal && error.code === "factor_required" && error.detail.extra?.challenge;
  return typeof challenge === "string" ? challenge : null;
}

/** Redirects a browser to the page that asks for the second factor, which then redirects to `returnTo`. */
export function askForFactor(c: C, challenge: string, returnTo: string): Response {
  const { baseUrl } = c.var.ctx.settings;
  setCookie(c, cookieName(baseUrl, FACTOR_COOKIE), challenge, {
    ...cookieAttributes(baseUrl),
    maxAge: FACTOR_CHALLENGE_LIFE_MS / 1000,
  });
  return c.redirect(`${FACTOR_PATH}?continue=${encodeURIComponent(returnTo)}`, 303);
}

/** Turns a refusal into words for the page. Rethrows any other error. */
export function notDone(error: unknown): NotSignedIn {
  if (!(error instanceof Refusal)) throw error;
  const { retry_after: wait } = error.detail.extra ?? {};
  const { hint } = error.body("");
  const sentences = [error.message, wait === undefined ? hint : `Wait for ${wait} seconds.`];
  const status = error.status === 401 || error.status === 429 || error.status === 503 ? error.status : 422;
  return { alert: sentences.filter((sentence) => sentence !== undefined).join(" "), status };
}

export async function signOut(c: C, { caller }: BrowserUser): Promise<void> {
  const { ctx } = c.var;
  await handlers["accounts.sign-out"].invoke(ctx, caller, NOTHING);
  clearSessionCookie(c, ctx.settings.baseUrl);
}

export const renderAlert = (alert: string | null) =>
  alert === null ? "" : html`<p class="alert" role="alert">${alert}</p>`;

export const signInForm = (email: string, providers: Provider[]): Html =>
  html`<form method="post"><input type="hidden" name="step" value="sign-in">
      <label>Email <input type="email" name="email" value="${email}" autocomplete="username" required></label>
      <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
      <button>Sign in</button>
      ${providers.map(({ name, url }) => html`<a class="button" href="${url}" data-provider>Sign in with ${name}</a>`)}
    </form>`;

/** Alternatives for a user who cannot sign in. `signUp`: the address of the sign-up page; null if this page offers none. */
export const otherWays = (signUp: string | null): Html =>
  html`<p class="ways">${signUp === null ? "" : html`<a href="${signUp}">Sign up</a> `}<a href="/auth/forgot">Forgot your password?</a></p>`;

/** Shows the signed-in user and offers to switch accounts. `hidden`: hidden fields of the form. */
export const signedInAs = (email: string, hidden: Html): Html =>
  html`<form method="post">${hidden}<p class="note">Signed in as ${email}.
      <button class="link" name="step" value="switch">Use another account</button></p></form>`;
