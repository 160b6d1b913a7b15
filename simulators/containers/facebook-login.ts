// Facebook Login for accounts that are linked to Pages: the consent of a person, their Pages, and the Pages' tokens. A person
// <name> with N Pages has the accounts <name>, <name>_2, <name>_3, ... The paths are those of docs/facebook-login, the refusals
// those of the simulator of Facebook.
import { randomBytes } from "node:crypto";
import type { Hono } from "hono";
import { html } from "hono/html";
import { consentPage } from "../consent-page.ts";
import { hasPersona } from "../personas.ts";
import type { SimulatorEnv } from "../simulator.ts";
import type { State } from "../state.ts";
import { type Call, type Fields, forbidden, GraphError, invalidParameter, readFields } from "./graph.ts";
import type { Network } from "./network.ts";
import type { Tokens } from "./tokens.ts";

/** The scopes of Facebook Login, and the same scopes of the network's own login (null: it has none). */
const SCOPES: Record<string, string | null> = {
  instagram_basic: "instagram_business_basic",
  instagram_content_publish: "instagram_business_content_publish",
  instagram_manage_insights: "instagram_business_manage_insights",
  instagram_manage_comments: "instagram_business_manage_comments",
  instagram_manage_contents: null,
  pages_show_list: null,
  pages_read_engagement: null,
  business_management: null,
};
/** The scopes of an app of the persona `smallest`. */
const SMALLEST = ["instagram_basic", "instagram_content_publish", "pages_show_list", "pages_read_engagement"];
const HOUR_MS = 3_600_000;
const LONG_MS = 60 * 24 * HOUR_MS;

interface Person {
  /** The usernames of the accounts that are linked to their Pages. */
  accounts: string[];
  scopes: string[];
  endsAt: number;
  isLong: boolean;
}
interface Code {
  person: Person;
  clientId: string;
  redirectUri: string;
  used: boolean;
}
interface Served {
  app: Hono<SimulatorEnv>;
  method(kind: "GET" | "POST" | "DELETE", path: string, name: string, act: (c: Call, fields: Fields) => unknown): void;
  network: Network;
  tokens: Tokens;
  state: State;
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

export function serveFacebookLogin({ app, method, network, tokens, state }: Served): void {
  const codes = state.map<string, Code>("instagram.facebook-codes");
  const people = state.map<string, Person>("instagram.facebook-people");
  /** The secret that each app used first. */
  const secrets = state.map<string, string>("instagram.facebook-apps");

  app.on(["GET", "POST"], "/:version/dialog/oauth", async (c) => {
    const fields = await readFields(c);
    const { client_id = "", redirect_uri = "", response_type = "code", scope = "", decision = "" } = fields;
    if (client_id === "" || !URL.canParse(redirect_uri))
      return new Response("Invalid app ID or redirect_uri", { status: 400 });
    const scopes = scope.split(/[ ,]/).filter(Boolean);
    const ofApp = hasPersona(client_id, "smallest") ? SMALLEST : Object.keys(SCOPES);
    const unknown = scopes.filter((name) => !ofApp.includes(name));
    if (response_type !== "code" || unknown.length > 0)
      return new Response(`Invalid Scopes: ${escapeHtml(unknown.join(", "))}`, { status: 400 });
    if (decision === "") return c.html(await form(fields, scopes));
    const back = new URL(redirect_uri);
    back.searchParams.set("state", fields.state ?? "");
    if (decision === "allow") {
      const without = (fields.without ?? "").split(",");
      const name = fields.account || "crier_demo";
      const accounts = Array.from({ length: Number(fields.pages || "1") }, (_, i) =>
        i === 0 ? name : `${name}_${i + 1}`,
      );
      const granted = scopes.filter((wanted) => !without.includes(wanted));
      const person = { accounts, scopes: granted, endsAt: Date.now() + HOUR_MS, isLong: false };
      const code = `AQ${randomBytes(24).toString("base64url")}`;
      codes.set(code, { person, clientId: client_id, redirectUri: redirect_uri, used: false });
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_reason", "user_denied");
      back.searchParams.set("error_description", "Permissions error");
    }
    return c.redirect(back.href);
  });

  function issue(person: Person): { access_token: string; token_type: string; expires_in: number } {
    const access_token = `EAA${randomBytes(16).toString("hex")}`;
    people.set(access_token, person);
    return { access_token, token_type: "bearer", expires_in: Math.floor((person.endsAt - Date.now()) / 1000) };
  }

  function checkApp(clientId = "", secret = ""): void {
    const knownSecret = secrets.get(clientId) ?? secret;
    if (clientId === "" || secret === "" || knownSecret !== secret)
      throw new GraphError(1, undefined, "Error validating client secret.");
    secrets.set(clientId, secret);
  }

  function redeem({ code = "", client_id, redirect_uri }: Fields): Person {
    if (code === "") throw invalidParameter("Missing code parameter");
    const grant = codes.get(code);
    if (grant === undefined || grant.clientId !== client_id)
      throw new GraphError(100, undefined, "Invalid verification code format.");
    if (grant.redirectUri !== redirect_uri)
      throw new GraphError(
        100,
        36008,
        "Error validating verification code. Please make sure your redirect_uri is identical",
      );
    if (grant.used) throw new GraphError(100, 36009, "This authorization code has been used.");
    grant.used = true;
    return grant.person;
  }

  /** The person of a token from a consent; undefined: the token is of another kind. */
  function findPerson(token = ""): Person | undefined {
    const person = people.get(token);
    if (person !== undefined && person.endsAt <= Date.now())
      throw new GraphError(190, 463, "Error validating access token: Session has expired.", { status: 401 });
    return person;
  }

  method("GET", "/:version/oauth/access_token", "oauth-facebook", (_c, fields) => {
    checkApp(fields.client_id, fields.client_secret);
    if (fields.grant_type !== "fb_exchange_token") return issue(redeem(fields));
    const person = findPerson(fields.fb_exchange_token);
    if (person === undefined) throw new GraphError(190, undefined, "Invalid OAuth access token.", { status: 401 });
    return issue({ ...person, endsAt: Date.now() + LONG_MS, isLong: true });
  });

  method("GET", "/:version/me/permissions", "me-permissions", (_c, { access_token }) => {
    const person = findPerson(access_token);
    if (person === undefined) throw new GraphError(190, undefined, "Invalid OAuth access token.", { status: 401 });
    const status = (name: string) => (person.scopes.includes(name) ? "granted" : "declined");
    return { data: Object.keys(SCOPES).map((permission) => ({ permission, status: status(permission) })) };
  });

  // The Pages of a person, each with its own token and the account that is linked to it.
  method("GET", "/:version/me/accounts", "me-accounts", (_c, { access_token, limit = "25", after }) => {
    const person = findPerson(access_token);
    if (person === undefined) {
      const account = tokens.accountOf(access_token, network.scopes.basic);
      if (network.isPageToken?.(access_token) !== true) throw forbidden();
      return { data: [page(account.username, "")] };
    }
    if (!person.scopes.includes("pages_show_list")) throw forbidden();
    const own = person.scopes.flatMap((scope) => SCOPES[scope] ?? []);
    const start = (after === undefined ? -1 : person.accounts.indexOf(after)) + 1;
    const listed = person.accounts.slice(start, start + Number(limit));
    const next = start + Number(limit) < person.accounts.length ? { next: "https://graph.facebook.com/" } : {};
    const cursors = { before: listed[0] ?? "", after: listed.at(-1) ?? "" };
    const data = listed.map((name) => page(name, own.map((scope) => `+${scope}`).join("")));
    return { data, paging: { cursors, ...next } };
  });

  /** A Page, whose token has the scopes of its person. A name that ends in `_unlinked` has no account linked to it. */
  function page(username: string, scopes: string) {
    const access_token = `EAAPage-for-${username}${scopes}`;
    const account = tokens.accountOf(access_token, network.scopes.basic);
    const { user_id: _, account_type: _type, ...linked } = network.me(account);
    const id = `1${account.id.slice(1)}`;
    const isLinked = !username.endsWith("_unlinked");
    return {
      ...{ id, name: `The page of ${username}`, access_token },
      ...(isLinked && { instagram_business_account: { ...linked, id: account.id } }),
    };
  }
}

function form(fields: Fields, scopes: string[]) {
  const hidden = ["client_id", "redirect_uri", "state", "response_type", "scope"].map(
    (name) => html`<input type="hidden" name="${name}" value="${fields[name] ?? ""}">`,
  );
  return consentPage(
    "Log in with Facebook",
    html`<p>The app asks for:</p><ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul>
<form method="post">${hidden}
<p><label>Instagram account <input name="account" value="crier_demo"></label></p>
<p><label>Pages <input name="pages" value="1" inputmode="numeric"></label></p>
<button name="decision" value="allow">Continue</button> <button name="decision" value="deny">Cancel</button></form>`,
  );
}
