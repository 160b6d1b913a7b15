// The Pages that a person's token covers, what was granted with it, and how long a token lives.
import * as z from "zod";
import type { Account, App, Wire } from "../network.ts";
import type { Answer } from "../protocols/send.ts";
import { get, successOf, WEBSITE } from "./graph.ts";
import type { Credential } from "./rule.ts";

/** Without these nothing is published or read back: pages-api/posts and video-api, read 2026-11-20. */
export const SCOPES_NEEDED = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];
/** `read_insights` for figures; `business_management` for Pages that belong to a business portfolio. */
export const SCOPES = [...SCOPES_NEEDED, "read_insights", "business_management"];

const PAGE_FIELDS = "id,name,username,tasks,access_token,picture.type(large)";
/** Pages of one answer, and answers that are read. */
const LIST_LIMIT = 100;
const LISTS_MAX = 20;

const Identity = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  username: z.string().min(1).optional(),
  picture: z.object({ data: z.object({ url: z.string().optional() }) }).optional(),
});
const Page = Identity.extend({ access_token: z.string().min(1).optional(), tasks: z.array(z.string()).default([]) });
export type Page = z.output<typeof Page>;
const Pages = z.object({
  data: z.array(Page),
  paging: z.object({ next: z.string().optional(), cursors: z.object({ after: z.string() }).optional() }).optional(),
});

/** All Pages of a person; the answer of the network when one of the lists cannot be read. */
export async function pagesOf(wire: Wire, userToken: string): Promise<Page[] | Answer> {
  const pages: Page[] = [];
  let after: string | undefined;
  for (let lists = 0; lists < LISTS_MAX; lists++) {
    const query = { fields: PAGE_FIELDS, limit: String(LIST_LIMIT), ...(after === undefined ? {} : { after }) };
    const answer = await get(wire, userToken, "/me/accounts", query);
    const list = successOf(answer, Pages);
    if (list === undefined) return answer;
    pages.push(...list.data);
    // `next` is an address with the token in it: only its cursor is used.
    after = list.paging?.next === undefined ? undefined : list.paging.cursors?.after;
    if (after === undefined) break;
  }
  return pages;
}

/** Posts can be made on a Page only with this task: pages-api/posts, read 2026-11-20. */
export const mayPublish = (page: Page) => page.access_token !== undefined && page.tasks.includes("CREATE_CONTENT");

/** The Page that a token of its own speaks for; the answer of the network when it is none. */
export async function ownPage(wire: Wire, pageToken: string): Promise<Page | Answer> {
  // A category is what Pages have and people have not, so that nobody's own token is taken for a Page's.
  const answer = await get(wire, pageToken, "/me", { fields: "id,name,username,category,picture.type(large)" });
  const page = successOf(answer, Identity.extend({ category: z.string() }));
  return page === undefined ? answer : { ...page, access_token: pageToken, tasks: [] };
}

const Permissions = z.object({ data: z.array(z.object({ permission: z.string(), status: z.string() })) });

/** The needed scopes that a person did not grant; the answer of the network when it does not say. */
export async function missingScopes(wire: Wire, userToken: string): Promise<string[] | Answer> {
  const answer = await get(wire, userToken, "/me/permissions", {});
  const permissions = successOf(answer, Permissions);
  if (permissions === undefined) return answer;
  const granted = permissions.data.filter(({ status }) => status === "granted").map(({ permission }) => permission);
  return SCOPES_NEEDED.filter((scope) => !granted.includes(scope));
}

const Inspected = z.object({
  data: z.object({
    is_valid: z.boolean(),
    expires_at: z.number().default(0),
    scopes: z.array(z.string()).optional(),
  }),
});

export interface Inspection {
  /** Epoch milliseconds; null: the token has no date. */
  expiresAt: number | null;
  /** Needed scopes that it lacks. */
  missing: string[];
}

/**
 * What the network says of a token of the app; null when it says nothing, as of tokens that another app got.
 * That the app's id and secret make its token is from memory.
 */
export async function inspect(wire: Wire, app: App | null, token: string): Promise<Inspection | null> {
  if (app === null) return null;
  const query = { input_token: token, access_token: `${app.clientId}|${app.clientSecret}` };
  const inspected = successOf(await get(wire, null, "/debug_token", query), Inspected)?.data;
  if (!inspected?.is_valid) return null;
  const { expires_at: seconds, scopes } = inspected;
  return {
    expiresAt: seconds === 0 ? null : seconds * 1000,
    missing: scopes === undefined ? [] : SCOPES_NEEDED.filter((scope) => !scopes.includes(scope)),
  };
}

/** A Page as an account. `expiresAt`: epoch milliseconds at which its token ends, null for never. */
export function accountOf(
  page: Page,
  pageToken: string,
  userToken: string | null,
  expiresAt: number | null,
): Account<Credential> {
  return {
    is: "connected",
    accountId: page.id,
    handle: page.username ?? page.name,
    name: page.name,
    avatarUrl: page.picture?.data.url ?? null,
    profileUrl: `${WEBSITE}/${page.username ?? page.id}`,
    credential: { page_id: page.id, page_token: pageToken, user_token: userToken },
    tokenExpiresAt: expiresAt,
  };
}
