// A page that needs to know who is signed in, and lets people sign in where they are.
import type { Context as HonoContext } from "hono";
import { html } from "hono/html";
import type { Caller } from "../context.ts";
import { Refusal } from "../domain/refusal.ts";
import { identify, signedIn } from "../operations/caller.ts";
import { handlers } from "../operations/index.ts";
import type { HttpEnv } from "./mount.ts";
import type { Html, PageStatus } from "./page.ts";
import { readDeviceCookie, readSessionCookie } from "./session-cookie.ts";
import { giveCookies, sessionIn } from "./signed-in.ts";

type C = HonoContext<HttpEnv>;
/** The input of an operation that has none. */
export const NOTHING = { params: undefined, query: undefined, body: undefined, idempotencyKey: null };

export interface SignedInUser {
  caller: Extract<Caller, { kind: "session" }>;
  token: string;
}

/** The user who is signed in in this browser; null: none. */
export async function readSignedInUser(c: C): Promise<SignedInUser | null> {
  const { ctx } = c.var;
  const token = readSessionCookie(c, ctx.settings.baseUrl);
  if (token === null) return null;
  try {
    return { caller: signedIn(await identify(ctx, "session", { token, workspaces: [] })), token };
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return null;
    throw error;
  }
}

/** What is wrong, as a page says it. */
export interface Alert {
  alert: string;
  status: PageStatus;
}

/** The refusal of an operation as a page says it; anything else is thrown on. */
export function alertOf(error: unknown): Alert {
  if (!(error instanceof Refusal)) throw error;
  const wait = error.detail.extra?.retry_after;
  const alert = wait === undefined ? error.message : `${error.message} Wait for ${wait} seconds.`;
  return { alert, status: error.status === 401 || error.status === 429 ? error.status : 422 };
}

/** Signs in whoever sent the form, with cookies; or says what is wrong. */
export async function signInByForm(c: C, body: { email: string; password: string }): Promise<Alert | null> {
  const { ctx } = c.var;
  try {
    const input = { ...NOTHING, ...readDeviceCookie(c, ctx.settings.baseUrl), body };
    const reply = await handlers["accounts.sign-in"].invoke(ctx, { kind: "nobody" }, input);
    await giveCookies(c, ctx, sessionIn(reply.body));
    return null;
  } catch (error) {
    return alertOf(error);
  }
}

export const alertBox = (alert: string | null) =>
  alert === null ? "" : html`<p class="alert" role="alert">${alert}</p>`;

/** `more`: other ways to sign in. */
export const signInForm = (
  email: string,
  more: Html | Html[] = [],
) => html`<form method="post"><input type="hidden" name="step" value="sign-in">
      <label>Email <input type="email" name="email" value="${email}" autocomplete="username" required></label>
      <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
      <button>Sign in</button>
      ${more}
    </form>`;
