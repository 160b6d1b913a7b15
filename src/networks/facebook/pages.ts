// The Pages that a user's token covers, the permissions granted with it, and the lifetime of a token.
import * as z from "zod";
import type { Account, App, NetworkIO } from "../network.ts";
import type { Answer } from "../shared/http-call.ts";
import { token } from "../shared/oauth2.ts";
import { getPermissions, missingOptional, missingToPublish } from "../shared/permissions.ts";
import { get, readSuccess, WEBSITE } from "./api.ts";
import { failure } from "./errors.ts";
import { type Credential, rule } from "./rule.ts";

export const PERMISSIONS = getPermissions(rule);

const PAGE_FIELDS = "id,name,username,access_token,picture.type(large)";
/** How many items one answer may have, and how many answers are read for a list. */
const LIST_LIMIT = 100;
const LISTS_MAX = 20;
/** How many items of a list are read. */
const MEMBERS_MAX = LIST_LIMIT * LISTS_MAX;
/**
 * How many portfolios are inspected, and how many answers are read for each of their two lists. A person waits for all of
 * these calls.
 */
const PORTFOLIOS_MAX = 25;
const PORTFOLIO_LISTS_MAX = 2;

const Identity = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  username: z.string().min(1).optional(),
  picture: z.object({ data: z.object({ url: z.string().optional() }) }).optional(),
});
const Page = Identity.extend({
  access_token: token.optional(),
  /** The user's tasks on the Page; null if the network does not report them. */
  tasks: z.array(z.string()).nullable().default(null),
});
export type Page = z.output<typeof Page>;
const Permission = z.object({ permission: z.string(), status: z.string() });
const Business = z.object({ id: z.string().min(1) });
const Paging = z.object({ next: z.string().optional(), cursors: z.object({ after: z.string() }).optional() });

/** All members of a list, or the network's answer if one of its pages cannot be read. */
async function fetchList<Member>(
  io: NetworkIO,
  token: string,
  path: string,
  member: z.ZodType<Member>,
  fields: string,
  listsMax = LISTS_MAX,
): Promise<Member[] | Answer> {
  const body = z.object({ data: z.array(member), paging: Paging.optional() });
  const members: Member[] = [];
  let after: string | undefined;
  for (let lists = 0; lists < listsMax; lists++) {
    const query = { fields, limit: String(LIST_LIMIT), ...(after === undefined ? {} : { after }) };
    const answer = await get(io, token, path, query);
    const list = readSuccess(answer, body);
    if (list === undefined) return answer;
    members.push(...list.data.slice(0, MEMBERS_MAX - members.length));
    // `next` is an address with the token in it: only its cursor is used.
    after = list.paging?.next === undefined ? undefined : list.paging.cursors?.after;
    if (after === undefined || members.length === MEMBERS_MAX) break;
  }
  return members;
}

/** The Pages that a user's token covers, and the permissions that the user granted. */
export interface Coverage {
  pages: Page[];
  granted: string[];
  /** Permissions that publishing needs and the user did not grant. */
  missing: string[];
}

/** Reads the Pages and permissions of a user's token, or returns the network's answer if that fails. */
export async function fetchCoverage(io: NetworkIO, userToken: string): Promise<Coverage | Answer> {
  const ownPages = await fetchList(io, userToken, "/me/accounts", Page, `${PAGE_FIELDS},tasks`);
  if (!Array.isArray(ownPages)) return ownPages;
  const permissions = await fetchList(io, userToken, "/me/permissions", Permission, "permission,status");
  if (!Array.isArray(permissions)) return permissions;
  const granted = permissions.filter(({ status }) => status === "granted").map(({ permission }) => permission);
  const missing = missingToPublish(PERMISSIONS, granted);
  const portfolio = granted.includes("business_management") ? await portfolioPages(io, userToken) : [];
  if (!Array.isArray(portfolio)) return portfolio;
  const otherPages = portfolio.filter((page) => !ownPages.some(({ id }) => id === page.id));
  return { pages: [...ownPages, ...otherPages], missing, granted };
}

/** Pages that belong to business portfolios, which the user's own list may omit. They come without tasks. */
async function portfolioPages(io: NetworkIO, userToken: string): Promise<Page[] | Answer> {
  const businesses = await fetchList(io, userToken, "/me/businesses", Business, "id");
  if (!Array.isArray(businesses)) return unlessRefused(businesses, io.now());
  const pages = new Map<string, Page>();
  for (const { id } of businesses.slice(0, PORTFOLIOS_MAX)) {
    for (const edge of ["owned_pages", "client_pages"]) {
      const answer = await fetchList(io, userToken, `/${id}/${edge}`, Page, PAGE_FIELDS, PORTFOLIO_LISTS_MAX);
      const list = Array.isArray(answer) ? answer : unlessRefused(answer, io.now());
      if (!Array.isArray(list)) return list;
      // A Page without a token is not accessible to the user.
      for (const page of list) if (page.access_token !== undefined) pages.set(page.id, page);
    }
  }
  return [...pages.values()];
}

/** A portfolio that the user may not inspect covers nothing; a list that cannot be read now is a failure. */
function unlessRefused(answer: Answer, now: number): [] | Answer {
  return failure(answer, now).is === "rejected" ? [] : answer;
}

/** Posts can be made on a Page only with this task: pages-api/posts, read 2026-11-20. */
export const mayPublish = ({ access_token, tasks }: Page) =>
  access_token !== undefined && (tasks === null || tasks.includes("CREATE_CONTENT"));

/** The Page that owns a page token, or the network's answer if the token is not a Page's. */
export async function ownPage(io: NetworkIO, pageToken: string): Promise<Page | Answer> {
  // Pages have a category and people do not, so that a person's own token is not taken for a Page's.
  const answer = await get(io, pageToken, "/me", { fields: "id,name,username,category,picture.type(large)" });
  const page = readSuccess(answer, Identity.extend({ category: z.string() }));
  return page === undefined ? answer : { ...page, access_token: pageToken, tasks: null };
}

/** The last second of the year 9999, the last one that fits a date. */
const EPOCH_S_MAX = 253_402_300_799;
const Inspected = z.object({
  data: z.object({
    is_valid: z.boolean(),
    expires_at: z.number().default(0),
    scopes: z.array(z.string()).optional(),
  }),
});

export interface Inspection {
  /** Epoch milliseconds; null if the token does not expire. */
  expiresAt: number | null;
  /** null if the network does not say. */
  granted: string[] | null;
  /** Permissions that publishing needs and the token lacks. */
  missing: string[];
}

/**
 * Inspects a token of the app; null if the network says nothing about it, as with tokens of another app. The app's id and
 * secret form its token: docs/facebook-login/guides/access-tokens, read 2026-11-22.
 */
export async function inspect(io: NetworkIO, app: App | null, token: string): Promise<Inspection | null> {
  if (app === null) return null;
  const query = { input_token: token, access_token: `${app.clientId}|${app.clientSecret}` };
  const inspected = readSuccess(await get(io, null, "/debug_token", query), Inspected)?.data;
  if (!inspected?.is_valid) return null;
  const { expires_at: seconds, scopes } = inspected;
  return {
    expiresAt: seconds === 0 ? null : Math.min(Math.max(seconds, 1), EPOCH_S_MAX) * 1000,
    granted: scopes ?? null,
    missing: scopes === undefined ? [] : missingToPublish(PERMISSIONS, scopes),
  };
}

/** The tokens and permissions with which a Page is connected. */
interface PageGrant {
  pageToken: string;
  userToken: string | null;
  /** null if unknown. */
  granted: string[] | null;
  /** When its token expires, in epoch milliseconds; null: never. */
  expiresAt: number | null;
}

/** A Page as an account. */
export function toAccount(page: Page, { pageToken, userToken, granted, expiresAt }: PageGrant): Account<Credential> {
  return {
    is: "connected",
    accountId: page.id,
    handle: page.username ?? page.name,
    name: page.name,
    avatarUrl: page.picture?.data.url ?? null,
    profileUrl: `${WEBSITE}/${page.username ?? page.id}`,
    credential: { page_id: page.id, page_token: pageToken, user_token: userToken },
    tokenExpiresAt: expiresAt,
    ...(granted !== null && { missingPermissions: missingOptional(PERMISSIONS, granted) }),
  };
}
