// The pages for connecting an account: a link, the network's consent, possibly a choice, and the result.
import type { Hono, Context as HonoContext } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { CONNECT_ATTEMPT_MS } from "../domain/limits.ts";
import { describeLink, findPlatform, openLink } from "../operations/channels/connect-link.ts";
import { type Consented, chooseAccounts, finishConsent } from "../operations/channels/consent.ts";
import { connectByForm, describeForm } from "../operations/channels/link-form.ts";
import { limitTries } from "../operations/rate-limit.ts";
import { readBrowserUser } from "./browser-user.ts";
import {
  choicePage,
  connectedPage,
  elsewherePage,
  failedPage,
  formPage,
  invalidLinkPage,
  linkPage,
} from "./connect-pages.ts";
import { readFields } from "./form.ts";
import type { HttpEnv } from "./mount.ts";
import { pagePolicy } from "./page.ts";
import { readBytes } from "./request-body.ts";
import { cookieAttributes, cookieName, isSameOrigin } from "./session-cookie.ts";

const COOKIE = "connect";
/** Longer than any handle or DID. */
const HANDLE_LENGTH_MAX = 500;

export function mountConnect(app: Hono<HttpEnv>): void {
  // A form on this page leads to the network, by a redirect.
  const policy = pagePolicy({ forms: true, media: true });

  // Opening needs a form, because a link preview in a chat must not end an opening in a browser. The member who has just created the
  // link on one of our own pages has seen which workspace it is for.
  app.get("/connect/:token", policy, async (c) => {
    const { ctx } = c.var;
    const form = await describeForm(ctx, c.req.param("token"));
    if (form !== null) return formPage(c, form);
    const link = await describeLink(ctx, c.req.param("token"));
    if (link === null) return invalidLinkPage(c);
    if (isSameOrigin(c.req.raw, ctx.settings.baseUrl) && link.madeBy !== null && link.madeBy === (await readUserId(c)))
      return open(c, "");
    return linkPage(c, link, null);
  });
  app.post("/connect/:token", policy, async (c) => {
    const { ctx } = c.var;
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return elsewherePage(c);
    if ((await describeForm(ctx, c.req.param("token"))) !== null) return submit(c);
    const getEntered = await readFields(c.req.raw);
    return open(c, getEntered("handle").slice(0, HANDLE_LENGTH_MAX));
  });
  async function submit(c: HonoContext<HttpEnv, "/connect/:token">) {
    const { ctx } = c.var;
    await limitTries(ctx, { address: "oauth_address" });
    const getEntered = await readFields(c.req.raw);
    const result = await connectByForm(ctx, c.req.param("token"), getEntered);
    if (result.is === "invalid_link") return invalidLinkPage(c);
    if (result.is === "refused") return formPage(c, result.form, { ...result, getEntered });
    return showResult(c, result.consented);
  }
  async function open(c: HonoContext<HttpEnv, "/connect/:token">, handle: string) {
    const { ctx } = c.var;
    await limitTries(ctx, { address: "oauth_address" });
    const opened = await openLink(ctx, c.req.param("token"), handle);
    if (opened.is === "invalid_link") return invalidLinkPage(c);
    if (opened.is === "asks_handle") return linkPage(c, opened.link, opened.problem);
    const { baseUrl } = ctx.settings;
    setCookie(c, cookieName(baseUrl, COOKIE), opened.browser, {
      ...cookieAttributes(baseUrl),
      maxAge: CONNECT_ATTEMPT_MS / 1000,
    });
    return c.redirect(opened.url, 303);
  }

  app.get("/v1/channels/callback/:callback", policy, async (c) => {
    const { ctx } = c.var;
    await limitTries(ctx, { address: "oauth_address" });
    const browser = readCookie(c);
    const state = c.req.query("state");
    if (browser === undefined || state === undefined) return invalidLinkPage(c);
    const platform = findPlatform(c.req.param("callback"));
    if (platform === undefined) return invalidLinkPage(c);
    const code = c.req.query("code") ?? null;
    const error = c.req.query("error") ?? null;
    const issuer = c.req.query("iss") ?? null;
    const user = await readUserId(c);
    return show(c, await finishConsent(ctx, { platform, state, code, error, issuer, browser, user }), state);
  });
  app.post("/v1/channels/callback/:callback", policy, async (c) => {
    const { ctx } = c.var;
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return elsewherePage(c);
    await limitTries(ctx, { address: "oauth_address" });
    const browser = readCookie(c);
    const form = new URLSearchParams(new TextDecoder().decode(await readBytes(c.req.raw)));
    const state = form.get("state");
    if (browser === undefined || state === null) return invalidLinkPage(c);
    const chosen = form.getAll("account");
    const platform = findPlatform(c.req.param("callback"));
    if (platform === undefined) return invalidLinkPage(c);
    return show(c, await chooseAccounts(ctx, { platform, state, browser }, chosen), state);
  });
}

/** The id of the user who is signed in on this browser, or null. */
const readUserId = async (c: HonoContext<HttpEnv>) => (await readBrowserUser(c))?.caller.userId ?? null;

const readCookie = (c: HonoContext<HttpEnv>) => getCookie(c, cookieName(c.var.ctx.settings.baseUrl, COOKIE));

function show(c: HonoContext<HttpEnv>, consented: Consented, state: string) {
  if (consented.is === "invalid_link") return invalidLinkPage(c);
  if (consented.is === "choose") return choicePage(c, consented, state);
  const { baseUrl } = c.var.ctx.settings;
  deleteCookie(c, cookieName(baseUrl, COOKIE), cookieAttributes(baseUrl));
  return showResult(c, consented);
}

/** Returns the person to where the link says, or shows a page with the result. */
function showResult(c: HonoContext<HttpEnv>, consented: Consented) {
  if (consented.is === "invalid_link" || consented.is === "choose") return invalidLinkPage(c);
  if (consented.returnTo !== null) {
    const back = new URL(consented.returnTo);
    back.searchParams.set("platform", consented.platform);
    if (consented.is === "failed") back.searchParams.set("error", consented.error);
    else for (const { id } of consented.channels) back.searchParams.append("channel", id);
    return c.redirect(back.href, 303);
  }
  return consented.is === "failed" ? failedPage(c, consented) : connectedPage(c, consented);
}
