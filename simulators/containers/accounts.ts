// An account's data: its containers, which are not visible, and its posts.
import type { LedgerMedia } from "../ledger.ts";
import { type Fields, makeAccountId, newId } from "./graph.ts";

/** Containers that are not published within a day expire: threads/troubleshooting, read 2026-11-20. */
const CONTAINER_LIFE_MS = 86_400_000;

export interface Container {
  id: string;
  madeAt: number;
  /** Polls during which the network is still processing. */
  looksLeft: number;
  /** The error that the network reports after processing; null: none. */
  problem: string | null;
  /** A carousel item, which is never published by itself. */
  isPart: boolean;
  published: boolean;
  mediaType: string;
  text: string;
  /** All files in order, including those of its items. */
  files: LedgerMedia[];
  detail: Record<string, unknown>;
  /** Its details on the simulator's page. */
  facts?: Record<string, string>;
  /** The SHA-256 of its cover image. */
  cover?: string;
}
export interface Post {
  id: string;
  shortcode: string;
  publishedAt: number;
  container: Container;
  deleted: boolean;
  /** Absent: comments are on. */
  isCommentEnabled?: boolean;
}
export interface Account {
  id: string;
  username: string;
  containers: Map<string, Container>;
  /** Newest first. */
  posts: Post[];
}

export function newAccount(username: string): Account {
  return { id: makeAccountId(username), username, containers: new Map(), posts: [] };
}

export function newContainer(fields: Omit<Container, "id" | "madeAt" | "published">): Container {
  return { ...fields, id: newId(), madeAt: Date.now(), published: false };
}

/** The state of a container, without counting as a poll. */
export function getContainerState({ published, madeAt, looksLeft, problem }: Container): string {
  if (published) return "PUBLISHED";
  if (madeAt + CONTAINER_LIFE_MS <= Date.now()) return "EXPIRED";
  if (looksLeft > 0) return "IN_PROGRESS";
  return problem === null ? "FINISHED" : "ERROR";
}

/** One poll: meanwhile the network makes progress on all of the account's containers. */
export function pollStatus({ containers }: Account, container: Container): string {
  const state = getContainerState(container);
  for (const accountContainer of containers.values())
    accountContainer.looksLeft = Math.max(0, accountContainer.looksLeft - 1);
  return state;
}

const DAY_MS = 86_400_000;
/** Posts, or replies, of the last 24 hours, including deleted ones. */
export const usedToday = ({ posts }: Account, kind: "posts" | "replies" = "posts") =>
  posts.filter(
    ({ publishedAt, container: { detail } }) =>
      publishedAt > Date.now() - DAY_MS && (detail.reply_to !== undefined) === (kind === "replies"),
  ).length;

/** The requested members of an object, and always `id`. */
export function pick(object: Record<string, unknown>, fields: string | undefined): Record<string, unknown> {
  const names = new Set(["id", ...(fields ?? "").split(",").map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => names.has(name) && value !== undefined));
}

/** The items of a carousel, which have ids of their own once it is published. */
export const listChildren = ({ id, container: { mediaType, files } }: Pick<Post, "id" | "container">) =>
  mediaType === "CAROUSEL" ? { data: files.map((_, i) => ({ id: `${id}${i}` })) } : undefined;

/** Newest first; `since` in Unix seconds. */
export function listed(account: Account, { since = "0", limit = "25" }: Fields): Post[] {
  return account.posts
    .filter(({ deleted, publishedAt }) => !deleted && publishedAt >= Number(since) * 1000)
    .slice(0, Math.min(100, Number(limit)));
}

/** A small number that is always the same for a post and a metric. */
export function figure(postId: string, metric: string): number {
  return [...postId, ...metric].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 97, 7);
}
