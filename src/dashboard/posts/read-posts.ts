// Reads the posts of the list in three orders.
import type { Client } from "../../client/client.ts";
import type { Post } from "../types.ts";

/** A filter that is no status of the API: failed, partly live, changed by the network, or removed there. */
export const ATTENTION = "attention";
export const SORTS = ["newest", "latest", "earliest"] as const;
export type Sort = (typeof SORTS)[number];

export const FILTERS = ["status", "channel", "label", "media", "author", "q", "from", "to"] as const;
export type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

export interface PostPage {
  posts: Post[];
  /** Where the next page begins; undefined: this is the last one. */
  next: string | undefined;
}

const PAGE = "50";
const FULL = "200";
const DAY_MS = 24 * 3_600_000;
/** The first stretch of time behind the present that is read for the latest posts; each further one is four times as long. */
const FIRST_STRETCH_MS = 30 * DAY_MS;
/** Posts older than this are archived. */
const OLDEST_MS = 20 * 365 * DAY_MS;

type Query = NonNullable<Parameters<typeof list>[1]>;
const list = async (client: Client, query: Record<string, string | undefined>, signal: AbortSignal) =>
  (await client.call("posts.list", { query, signal })).body;

async function readAll(client: Client, query: Query, signal: AbortSignal): Promise<Post[]> {
  const posts: Post[] = [];
  for (let cursor: string | undefined; ; ) {
    const body = await list(client, { ...query, limit: FULL, cursor }, signal);
    posts.push(...body.posts);
    if (body.next === null) return posts;
    cursor = body.next;
  }
}

/** The filters as the API takes them. */
const toQuery = ({ status, ...others }: Filter): Record<string, string | undefined> =>
  status === ATTENTION ? { ...others, attention: "true" } : { ...others, status };

/** The API lists due times upwards only, so the latest come from stretches of time, each read to its end and turned round. */
async function readLatest(
  client: Client,
  filter: Filter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<PostPage> {
  const query = { ...toQuery(filter), order: "due" };
  if (filter.from !== undefined || filter.to !== undefined) {
    return { posts: (await readAll(client, query, signal)).reverse(), next: undefined };
  }
  const now = client.now();
  let end = cursor === undefined ? null : Number(cursor);
  for (;;) {
    const length = end === null ? FIRST_STRETCH_MS : Math.max(FIRST_STRETCH_MS, (now - end) * 4);
    const start = Math.max((end ?? now) - length, now - OLDEST_MS);
    const to = end === null ? undefined : new Date(end).toISOString();
    const posts = await readAll(client, { ...query, from: new Date(start).toISOString(), to }, signal);
    const isLast = start <= now - OLDEST_MS;
    if (posts.length > 0 || isLast) return { posts: posts.reverse(), next: isLast ? undefined : String(start) };
    end = start;
  }
}

export async function readPosts(
  client: Client,
  { filter, sort, cursor }: { filter: Filter; sort: Sort; cursor: string | undefined },
  signal: AbortSignal,
): Promise<PostPage> {
  if (sort === "latest") return readLatest(client, filter, cursor, signal);
  const order = sort === "earliest" ? "due" : "newest";
  const body = await list(client, { ...toQuery(filter), order, limit: PAGE, cursor }, signal);
  return { posts: body.posts, next: body.next ?? undefined };
}
