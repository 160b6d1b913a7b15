// Sign-in: the consent dialog, the resulting tokens, and the endpoints that describe them.

import { randomBytes } from "node:crypto";
import { html } from "hono/html";
import { avatarUrl } from "../avatar.ts";
import { consentPage } from "../consent-page.ts";
import { hasPersona } from "../personas.ts";
import {
  type Call,
  type Fields,
  fieldsWanted,
  GraphError,
  invalidParameter,
  type Json,
  noObject,
  toText,
} from "./graph.ts";
import { ALL_SCOPES, needScope, type Page, type People, type Session } from "./people.ts";

/** The scopes of an app of the persona `smallest`. */
const SMALLEST = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * The dialog: a page with a form or, after the decision, the redirect. `account` is the person, `pages` the number of their
 * Pages, `without` the scopes that they leave unticked.
 */
export async function dialog({ fields }: Call, people: People): Promise<Response> {
  const text = (name: string) => toText(fields[name]);
  const { client_id = "", redirect_uri = "", response_type = "code", scope = "" } = fields;
  const redirectUri = toText(redirect_uri);
  if (toText(client_id) === "" || !URL.canParse(redirectUri))
    return new Response("Invalid app ID or redirect_uri", { status: 400 });
  const scopes = toText(scope).split(/[ ,]/).filter(Boolean);
  const ofApp = hasPersona(toText(client_id), "smallest") ? SMALLEST : ALL_SCOPES;
  const unknown = scopes.filter((name) => !ofApp.includes(name));
  if (response_type !== "code" || unknown.length > 0)
    return new Response(`Invalid Scopes: ${escapeHtml(unknown.join(", "))}`, { status: 400 });
  const decision = text("decision");
  if (decision === "") return new Response(await form(fields, scopes), { headers: { "content-type": "text/html" } });
  const back = new URL(redirectUri);
  back.searchParams.set("state", text("state"));
  if (decision === "allow") {
    const without = text("without").split(",");
    const granted = scopes.filter((name) => !without.includes(name));
    const creates = text("role") !== "analyst";
    const portfolio = text("portfolio") !== "";
    const person = people.person(text("account") || "crier", Number(text("pages") || "1"), creates, portfolio);
    back.searchParams.set("code", people.code(person, granted, toText(client_id), redirectUri));
  } else {
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_reason", "user_denied");
    back.searchParams.set("error_description", "Permissions error");
  }
  return new Response(null, { status: 302, headers: { location: back.href } });
}

function form(fields: Fields, scopes: string[]) {
  const hidden = ["client_id", "redirect_uri", "state", "response_type", "scope"].map(
    (name) => html`<input type="hidden" name="${name}" value="${toText(fields[name])}">`,
  );
  return consentPage(
    "Log in with Facebook",
    html`<p>The app asks for:</p><ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul>
<form method="post">${hidden}
<p><label>Person <input name="account" value="crier"></label></p>
<p><label>Pages <input name="pages" value="1" inputmode="numeric"></label></p>
<button name="decision" value="allow">Continue</button> <button name="decision" value="deny">Cancel</button></form>`,
  );
}

/**
 * `GET /oauth/access_token`: exchanges a code for a token, exchanges a short-lived token for a long-lived token, or returns the
 * app's own token.
 */
export function accessToken({ fields }: Call, people: People): Json {
  const text = (name: string) => toText(fields[name]);
  people.checkApp(text("client_id"), text("client_secret"));
  if (text("grant_type") === "client_credentials")
    return { access_token: `${text("client_id")}|${randomBytes(16).toString("base64url")}`, token_type: "bearer" };
  if (text("grant_type") === "fb_exchange_token") {
    const { token, seconds } = people.lengthen(text("fb_exchange_token"));
    return { access_token: token, token_type: "bearer", expires_in: seconds };
  }
  if (text("code") === "") throw invalidParameter("Missing code parameter");
  const token = people.redeem(text("code"), text("client_id"), text("redirect_uri"));
  return { access_token: token, token_type: "bearer", expires_in: 3_600 };
}

/** `GET /debug_token`, with the app's own token. */
export function debugToken({ fields, token }: Call, people: People): Json {
  const [app = "", secret = ""] = token.split("|");
  people.checkApp(app, secret);
  const input = toText(fields.input_token);
  try {
    const { page, person, scopes, expiresAt } = people.session(input);
    const seconds = expiresAt === null ? 0 : Math.floor(expiresAt / 1000);
    const owner: Fields =
      page === null ? { type: "USER", user_id: person?.id ?? "" } : { type: "PAGE", profile_id: page.id };
    const data = { app_id: app, ...owner, is_valid: true, expires_at: seconds, data_access_expires_at: 0, scopes };
    return { data };
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    const { code, message, subcode = 0 } = error;
    return { data: { app_id: app, is_valid: false, error: { code, message, subcode }, scopes: [] } };
  }
}

export function pageFields(page: Page): Fields & { id: string } {
  const url = avatarUrl("scontent.xx.fbcdn.test", page.id);
  const { id, name, username } = page;
  return { id, name, username, category: "Product/service", picture: { data: { url, is_silhouette: false } } };
}

export function me(session: Session): Fields & { id: string } {
  const { page, person } = session;
  if (page !== null) return pageFields(page);
  if (person === null) throw new GraphError(2500, "An active access token must be used to query information.");
  return { id: person.id, name: person.name };
}

/** `GET /me/permissions` */
export function permissions({ scopes }: Session): Json {
  const status = (name: string) => (scopes.includes(name) ? "granted" : "declined");
  return { data: ALL_SCOPES.map((permission) => ({ permission, status: status(permission) })) };
}

/** `GET /me/accounts` */
export function accounts(call: Call, session: Session, people: People): Json {
  const { person } = session;
  if (person === null || session.page !== null)
    throw invalidParameter("Tried accessing nonexisting field (accounts) on node type (Page)");
  needScope(session, "pages_show_list");
  const tasks = person.creates ? ["ANALYZE", "CREATE_CONTENT", "MODERATE", "MANAGE"] : ["ANALYZE"];
  const pages = person.portfolio ? [] : person.pages;
  return portion(call, pages, (page) => ({
    ...pageFields(page),
    tasks,
    access_token: people.pageToken(session, page),
  }));
}

/** `GET /me/businesses`, and the Pages of one of them. */
export function businesses(call: Call, session: Session, people: People): Json {
  const { person } = session;
  if (person === null) throw invalidParameter(`Tried accessing nonexisting field (${call.edge}) on node type (Page)`);
  needScope(session, "business_management");
  const id = people.businessOf(person);
  if (call.edge === "businesses") return { data: person.portfolio ? [{ id, name: `Business of ${person.name}` }] : [] };
  if (call.node !== id) throw noObject(call.method, call.node);
  const pages = call.edge === "owned_pages" ? person.pages : [];
  return portion(call, pages, (page) => ({ ...pageFields(page), access_token: people.pageToken(session, page) }));
}

/** A page of a list. The next page's address contains the token. */
function portion(call: Call, pages: Page[], whole: (page: Page) => Fields): Json {
  const limit = Math.min(100, Number(toText(call.fields.limit) || "25"));
  const start = pages.findIndex(({ id }) => id === toText(call.fields.after)) + 1;
  const listed = pages.slice(start, start + limit);
  const requestedFields = fieldsWanted(call);
  const data = listed.map((page) =>
    Object.fromEntries(Object.entries(whole(page)).filter(([name]) => name === "id" || requestedFields.includes(name))),
  );
  const [before, after] = [listed[0]?.id, listed.at(-1)?.id];
  if (before === undefined || after === undefined) return { data };
  const hasMore = start + limit < pages.length;
  const query = new URLSearchParams({ access_token: call.token, limit: String(limit), after });
  const next: Fields = hasMore ? { next: `https://graph.facebook.com/v26.0/${call.node}/${call.edge}?${query}` } : {};
  return { data, paging: { cursors: { before, after }, ...next } };
}
