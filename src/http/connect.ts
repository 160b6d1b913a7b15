// The pages for connecting an account: a link, the network's consent, possibly a choice, and the result.
import type { Hono, Context as HonoContext } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { html } from "hono/html";
import { CONNECT_ATTEMPT_MS } from "../domain/limits.ts";
import { networkName } from "../domain/network-name.ts";
import { shownAddress } from "../domain/shown-address.ts";
import { toNetworkMessage } from "../domain/visible-text.ts";
import {
  type Consented,
  chooseAccounts,
  describeLink,
  findPlatform,
  finishConsent,
  type LinkedWorkspace,
  openLink,
  sayLeftOut,
} from "../operations/channels/consent.ts";
import { limitTries } from "../operations/rate-limit.ts";
import { readBrowserUser, renderAlert } from "./browser-user.ts";
import type { HttpEnv } from "./mount.ts";
import { page, pagePolicy } from "./page.ts";
import { readBytes } from "./request-body.ts";
import { cookieAttributes, cookieName, isSameOrigin } from "./session-cookie.ts";

const COOKIE = "connect";

type Choice = Extract<Consented, { is: "choose" }>;

export function mountConnect(app: Hono<HttpEnv>): void {
  // A form on this page leads to the network, by a redirect.
  const policy = pagePolicy({ forms: true, media: true });

  // Opening needs a form, because a link preview in a chat must not end an opening in a browser. The member who has just created the
  // link on one of our own pages has seen which workspace it is for.
  app.get("/connect/:token", policy, async (c) => {
    const { ctx } = c.var;
    const link = await describeLink(ctx, c.req.param("token"));
    if (link === null) return invalidLink(c);
    if (isSameOrigin(c.req.raw, ctx.settings.baseUrl) && link.madeBy !== null && link.madeBy === (await readUserId(c)))
      return open(c);
    return page(
      c,
      `Connect ${networkName(link.platform)}`,
      html`<p>The workspace ${renderWorkspaceName(link.workspace)} wants to publish to an account of yours on ${networkName(link.platform)}.
        Give consent there, then confirm the account here.</p>${renderService(ctx.settings.baseUrl, link.workspace)}
        <form method="post"><button>Continue to ${networkName(link.platform)}</button></form>`,
      200,
      { brand: link.workspace.brand },
    );
  });
  app.post("/connect/:token", policy, async (c) => {
    const { ctx } = c.var;
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return elsewhere(c);
    return open(c);
  });
  async function open(c: HonoContext<HttpEnv, "/connect/:token">) {
    const { ctx } = c.var;
    await limitTries(ctx, { address: "oauth_address" });
    const opened = await openLink(ctx, c.req.param("token"));
    if (opened === null) return invalidLink(c);
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
    if (browser === undefined || state === undefined) return invalidLink(c);
    const platform = findPlatform(c.req.param("callback"));
    if (platform === undefined) return invalidLink(c);
    const code = c.req.query("code") ?? null;
    const error = c.req.query("error") ?? null;
    const user = await readUserId(c);
    return show(c, await finishConsent(ctx, { platform, state, code, error, browser, user }), state);
  });
  app.post("/v1/channels/callback/:callback", policy, async (c) => {
    const { ctx } = c.var;
    if (!isSameOrigin(c.req.raw, ctx.settings.baseUrl)) return elsewhere(c);
    await limitTries(ctx, { address: "oauth_address" });
    const browser = readCookie(c);
    const form = new URLSearchParams(new TextDecoder().decode(await readBytes(c.req.raw)));
    const state = form.get("state");
    if (browser === undefined || state === null) return invalidLink(c);
    const chosen = form.getAll("account");
    const platform = findPlatform(c.req.param("callback"));
    if (platform === undefined) return invalidLink(c);
    return show(c, await chooseAccounts(ctx, { platform, state, browser }, chosen), state);
  });
}

/** Says whose page this is, where a brand stands at its top. */
const renderService = (baseUrl: string, { brand }: LinkedWorkspace) =>
  brand === null
    ? ""
    : html`<p class="note">${brand.name ?? "The workspace"} publishes with Crier. This page belongs to Crier at ${new URL(baseUrl).host}.</p>`;

/** The id of the user who is signed in on this browser, or null. */
const readUserId = async (c: HonoContext<HttpEnv>) => (await readBrowserUser(c))?.caller.userId ?? null;

const readCookie = (c: HonoContext<HttpEnv>) => getCookie(c, cookieName(c.var.ctx.settings.baseUrl, COOKIE));

function invalidLink(c: HonoContext<HttpEnv>) {
  return page(
    c,
    "This link does not work",
    html`<p>It has expired, has already connected an account, or was opened in another browser since. Open the link once more, or ask for a new one.</p>`,
    410,
  );
}

/** A page of another site has submitted the form, so the visitor did not intend this request. */
function elsewhere(c: HonoContext<HttpEnv>) {
  return page(
    c,
    "This request did not come from this page",
    html`<p>The form was sent from another site. Open the link itself and press its button.</p>`,
    403,
  );
}

const renderWorkspaceName = ({ name, owners }: LinkedWorkspace) =>
  html`<strong>${name}</strong> (${owners.map(shownAddress).join(", ")})`;

/** The network's own message, marked as a quotation. */
function quoteNetwork({ platform, networkMessage }: Extract<Consented, { is: "failed" }>) {
  const message = toNetworkMessage(networkMessage);
  return message === undefined ? "" : html`<p>${networkName(platform)} says:</p><blockquote>${message}</blockquote>`;
}

function show(c: HonoContext<HttpEnv>, consented: Consented, state: string) {
  if (consented.is === "invalid_link") return invalidLink(c);
  if (consented.is === "choose") return choice(c, consented, state);
  const { baseUrl } = c.var.ctx.settings;
  deleteCookie(c, cookieName(baseUrl, COOKIE), cookieAttributes(baseUrl));
  if (consented.returnTo !== null) {
    const back = new URL(consented.returnTo);
    back.searchParams.set("platform", consented.platform);
    if (consented.is === "failed") back.searchParams.set("error", consented.error);
    else for (const { id } of consented.channels) back.searchParams.append("channel", id);
    return c.redirect(back.href, 303);
  }
  if (consented.is === "failed")
    return page(
      c,
      "Nothing was connected",
      html`<p>${consented.message}</p>${quoteNetwork(consented)}<p>${consented.hint ?? ""}</p>`,
      422,
    );
  const handles = consented.channels.map(({ handle }) => handle).join(", ");
  return page(
    c,
    "Connected",
    html`<p>Crier can now publish to ${handles} on ${networkName(consented.platform)}. You can close this page.</p>`,
  );
}

function choice(
  c: HonoContext<HttpEnv>,
  { platform, accounts, leftOut, workspace, isNoneChosen }: Choice,
  state: string,
) {
  const isOne = accounts.length === 1 && leftOut === 0;
  return page(
    c,
    isOne
      ? `Connect this account on ${networkName(platform)}?`
      : `Which accounts on ${networkName(platform)} do you want to connect?`,
    html`<p>The workspace ${renderWorkspaceName(workspace)} will be able to publish to every account that you connect here.</p>
      ${renderAlert(isNoneChosen ? "Choose at least one account." : null)}
      <form method="post"><input type="hidden" name="state" value="${state}">
      ${accounts.map(
        ({ id, handle, name }) =>
          html`<label class="choice"><input type="checkbox" name="account" value="${id}"${isNoneChosen ? "" : " checked"}><span>${name ?? handle}<small>${handle}</small></span></label>`,
      )}${leftOut === 0 ? "" : html`<p>${sayLeftOut(leftOut)} If one is missing, open the link again and choose fewer accounts on ${networkName(platform)}.</p>`}<button>Connect</button></form>`,
    isNoneChosen ? 422 : 200,
    { brand: workspace.brand },
  );
}
