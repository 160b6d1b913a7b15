// People and Pages with their tokens. Both are created when a token that names them is first used.
//
// Handed-over tokens:
//   EAAuser-<name>[+<pages>][~<flaw>]...   a person with that many Pages (one if left out): <name>, <name>_2, <name>_3, ...
//   EAApage-<username>[~<flaw>]...         the Page of that name
// Flaws: ~no_<scope> a scope that was not granted; ~analyst a person who may only read; ~portfolio a person whose Pages
// belong to a business portfolio; ~expired; ~hour a token that is valid for an hour.
import { createHash, randomBytes } from "node:crypto";
import type { State } from "../state.ts";
import { GraphError } from "./graph.ts";

export const ALL_SCOPES = [
  "pages_show_list",
  "pages_read_engagement",
  "pages_manage_posts",
  "pages_manage_engagement",
  "read_insights",
  "business_management",
];
const HANDED_OVER = /^EAA(user|page)-([A-Za-z0-9_.]+)(?:\+(\d{1,3}))?((?:~[a-z_]+)*)$/;
const SHORT_MS = 3_600_000;
const LONG_MS = 60 * 24 * 3_600_000;

export interface Page {
  id: string;
  username: string;
  name: string;
  /** Tokens of an older generation have expired. */
  generation: number;
  /** Calls so far, for the usage that the network reports. */
  calls: number;
}
export interface Person {
  id: string;
  name: string;
  pages: Page[];
  /** Whether they may create posts. */
  creates: boolean;
  /** Whether their Pages belong to a business portfolio, and are missing from their own list. */
  portfolio: boolean;
}
export interface Session {
  person: Person | null;
  /** The Page that the token represents; null for a person's own token. */
  page: Page | null;
  generation: number;
  scopes: string[];
  /** Epoch milliseconds; null: never. */
  expiresAt: number | null;
  revoked: boolean;
}
interface Code {
  session: Session;
  clientId: string;
  redirectUri: string;
  used: boolean;
}

/** 17 digits, which are too many for a JavaScript number. */
const makeId = (kind: string, name: string) => {
  const digest = createHash("sha256").update(`${kind}:${name}`).digest();
  return `${(digest.readBigUInt64BE() % 90_000_000_000_000_000n) + 10_000_000_000_000_000n}`;
};

export class People {
  readonly #pages: Map<string, Page>;
  readonly #sessions: Map<string, Session>;
  readonly #codes: Map<string, Code>;
  /** The secret that each app used first. */
  readonly #apps: Map<string, string>;

  constructor(state: State) {
    this.#pages = state.map("facebook.pages");
    this.#sessions = state.map("facebook.sessions");
    this.#codes = state.map("facebook.codes");
    this.#apps = state.map("facebook.apps");
  }

  page(username: string): Page {
    const knownPage = this.#pages.get(username);
    if (knownPage !== undefined) return knownPage;
    const name = `The page of ${username}`;
    const page = { id: makeId("page", username), username, name, generation: 0, calls: 0 };
    this.#pages.set(username, page);
    return page;
  }

  find(name: string): Page | undefined {
    return [...this.#pages.values()].find(({ id, username }) => id === name || username === name);
  }

  person(name: string, pages: number, creates: boolean, portfolio: boolean): Person {
    const names = Array.from({ length: pages }, (_, i) => (i === 0 ? name : `${name}_${i + 1}`));
    return {
      id: makeId("person", name),
      name,
      pages: names.map((username) => this.page(username)),
      creates,
      portfolio,
    };
  }

  /** The owner of a current or former token. */
  owner(token: string): Session | undefined {
    return this.#sessions.get(token) ?? this.#handedOver(token);
  }

  /** The session of a token. Throws the network's refusal if the token is invalid. */
  session(token: string): Session {
    const session = this.owner(token);
    if (session === undefined) {
      if (token === "") throw new GraphError(2500, "An active access token must be used to query information.");
      throw new GraphError(190, "Invalid OAuth access token - Cannot parse access token", { status: 401 });
    }
    this.#sessions.set(token, session);
    if (session.revoked)
      throw new GraphError(190, "Error validating access token: The user has not authorized application.", {
        subcode: 458,
        status: 401,
      });
    const old = session.page !== null && session.generation < session.page.generation;
    if (old || (session.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now())
      throw new GraphError(190, "Error validating access token: Session has expired.", { subcode: 463, status: 401 });
    return session;
  }

  #handedOver(token: string): Session | undefined {
    const [, kind, name = "", count = "1", flawList = ""] = HANDED_OVER.exec(token) ?? [];
    if (kind === undefined) return undefined;
    const flaws = flawList.split("~").filter(Boolean);
    const scopes = ALL_SCOPES.filter((scope) => !flaws.includes(`no_${scope}`));
    const expiresAt = flaws.includes("expired") ? 1_000 : flaws.includes("hour") ? Date.now() + SHORT_MS : null;
    const creates = !flaws.includes("analyst");
    const common = { generation: 0, scopes, expiresAt, revoked: false };
    if (kind === "page") return { person: null, page: this.page(name), ...common };
    return { person: this.person(name, Number(count), creates, flaws.includes("portfolio")), page: null, ...common };
  }

  #issue(prefix: string, session: Session): string {
    const token = `EAA${prefix}${randomBytes(12).toString("hex")}`;
    this.#sessions.set(token, session);
    return token;
  }

  /** The business portfolio of a person's Pages. */
  businessOf({ name }: Person): string {
    return makeId("business", name);
  }

  /** A Page token, which expires with the person's token unless that one is long-lived. */
  pageToken(session: Session, page: Page): string {
    const days = session.expiresAt === null || session.expiresAt - Date.now() > 2 * SHORT_MS;
    const expiresAt = days ? null : session.expiresAt;
    return this.#issue("page", { ...session, page, generation: page.generation, expiresAt });
  }

  /** The first secret that an app uses becomes its secret. */
  checkApp(clientId: string, secret: string): void {
    const knownSecret = this.#apps.get(clientId) ?? secret;
    if (clientId === "" || secret === "" || knownSecret !== secret)
      throw new GraphError(1, "Error validating client secret.");
    this.#apps.set(clientId, secret);
  }

  code(person: Person, scopes: string[], clientId: string, redirectUri: string): string {
    const code = `AQ${randomBytes(24).toString("base64url")}`;
    const expiresAt = Date.now() + SHORT_MS;
    const session = { person, page: null, generation: 0, scopes, expiresAt, revoked: false };
    this.#codes.set(code, { session, clientId, redirectUri, used: false });
    return code;
  }

  redeem(code: string, clientId: string, redirectUri: string): string {
    const codeGrant = this.#codes.get(code);
    if (codeGrant === undefined || codeGrant.clientId !== clientId)
      throw new GraphError(100, "Invalid verification code format.");
    if (codeGrant.redirectUri !== redirectUri)
      throw new GraphError(100, "Error validating verification code. Please make sure your redirect_uri is identical", {
        subcode: 36008,
      });
    if (codeGrant.used) throw new GraphError(100, "This authorization code has been used.", { subcode: 36009 });
    codeGrant.used = true;
    return this.#issue("short", codeGrant.session);
  }

  /** Exchanges a token of an hour for one of sixty days. */
  lengthen(token: string): { token: string; seconds: number } {
    const session = this.session(token);
    return { token: this.#issue("long", { ...session, expiresAt: Date.now() + LONG_MS }), seconds: LONG_MS / 1000 };
  }

  /** The person revokes everything that they granted. */
  revoke(person: Person): void {
    for (const session of this.#sessions.values()) if (session.person?.id === person.id) session.revoked = true;
  }

  /** Expires every current token of the Page, of any person. */
  expire(name: string): boolean {
    const page = this.find(name);
    if (page !== undefined) page.generation++;
    return page !== undefined;
  }

  forget(name?: string): void {
    for (const [username, { id }] of this.#pages)
      if (name === undefined || name === username || name === id) this.#pages.delete(username);
    for (const [token, { page, person }] of this.#sessions)
      if (name === undefined || page?.username === name || page?.id === name || person?.name === name)
        this.#sessions.delete(token);
    if (name === undefined) this.#codes.clear();
  }
}

export function needScope({ scopes }: Session, scope: string): void {
  if (scopes.includes(scope)) return;
  if (scope === "pages_manage_posts")
    throw new GraphError(
      200,
      "(#200) If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission",
    );
  throw new GraphError(10, `(#10) This endpoint requires the '${scope}' permission`);
}
