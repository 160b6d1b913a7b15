// What an account holds: containers that nobody sees, and posts.
import type { LedgerMedia } from "../ledger.ts";
import { accountIdOf, type Fields, newId } from "./graph.ts";

/** Containers that are not published within a day die: threads/troubleshooting, read 2026-11-20. */
const CONTAINER_LIFE_MS = 86_400_000;

export interface Container {
  id: string;
  madeAt: number;
  /** Looks that still find the network at work. */
  looksLeft: number;
  /** What is wrong with it, once the network has worked on it. */
  problem: string | null;
  /** The part of a carousel: never published itself. */
  isPart: boolean;
  published: boolean;
  mediaType: string;
  text: string;
  /** Its files in order, those of its parts too. */
  files: LedgerMedia[];
  detail: Record<string, unknown>;
}
export interface Post {
  id: string;
  shortcode: string;
  publishedAt: number;
  container: Container;
  deleted: boolean;
}
export interface Account {
  id: string;
  username: string;
  containers: Map<string, Container>;
  /** Newest first. */
  posts: Post[];
}

export function newAccount(username: string): Account {
  return { id: accountIdOf(username), username, containers: new Map(), posts: [] };
}

export function newContainer(of: Omit<Container, "id" | "madeAt" | "published">): Container {
  return { ...of, id: newId(), madeAt: Date.now(), published: false };
}

/** The state of a container, without a look at it. */
export function stateOf({ published, madeAt, looksLeft, problem }: Container): string {
  if (published) return "PUBLISHED";
  if (madeAt + CONTAINER_LIFE_MS <= Date.now()) return "EXPIRED";
  if (looksLeft > 0) return "IN_PROGRESS";
  return problem === null ? "FINISHED" : "ERROR";
}

/** One look: meanwhile the network gets on with all its work for the account. */
export function statusOf({ containers }: Account, container: Container): string {
  const state = stateOf(container);
  for (const other of containers.values()) other.looksLeft = Math.max(0, other.looksLeft - 1);
  return state;
}

const DAY_MS = 86_400_000;
/** Posts, or replies, of the last 24 hours: deleted ones count too. */
export const usedToday = ({ posts }: Account, what: "posts" | "replies" = "posts") =>
  posts.filter(
    ({ publishedAt, container: { detail } }) =>
      publishedAt > Date.now() - DAY_MS && (detail.reply_to !== undefined) === (what === "replies"),
  ).length;

/** The members of an object that a caller asked for; `id` always. */
export function pick(object: Record<string, unknown>, fields: string | undefined): Record<string, unknown> {
  const names = new Set(["id", ...(fields ?? "").split(",").map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => names.has(name) && value !== undefined));
}

/** The parts of a carousel, which have ids of their own once it is out. */
export const childrenOf = ({ id, container: { mediaType, files } }: Pick<Post, "id" | "container">) =>
  mediaType === "CAROUSEL" ? { data: files.map((_, i) => ({ id: `${id}${i}` })) } : undefined;

/** Newest first; `since` in Unix seconds. */
export function listed(account: Account, { since = "0", limit = "25" }: Fields): Post[] {
  return account.posts
    .filter(({ deleted, publishedAt }) => !deleted && publishedAt >= Number(since) * 1000)
    .slice(0, Math.min(100, Number(limit)));
}

/** A small number that follows from a post and a metric. */
export function figure(postId: string, metric: string): number {
  return [...postId, ...metric].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 97, 7);
}
