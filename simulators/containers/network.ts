// The definition of a network on which a post starts as a container: Instagram or Threads.
import type { findMarks } from "../marks.ts";
import type { Account, Container, Post } from "./accounts.ts";
import type { Fields, GraphError } from "./graph.ts";
import type { Sign } from "./tokens.ts";

export interface Network {
  sign: Sign;
  /** Paths below the account, which are also the names of the calls. */
  paths: { posts: string; publish: string; quota: string };
  /** Names of the calls on one object, and of the list of posts. */
  calls: { container: string; post: string; list: string };
  /** The version prefix of every path; token endpoints have none. */
  version: RegExp;
  /** Whether an app can get a token of its own. */
  appTokens?: true;
  /** Whether a token is that of a Page or of its person, which may read Pages and delete posts. */
  isPageToken?(token: string | undefined): boolean;
  /** Whether comments under a post can be turned off. */
  turnsCommentsOff?: true;
  scopes: {
    basic: string;
    publish: string;
    insights: string;
    comment: string;
    /** The call that lists replies; null: the network has none. */
    replies: string | null;
    location: string | null;
    delete: string | null;
  };
  /** Members of a container. */
  state: { status: string; problem: string };
  /** Posts that an account may publish in 24 hours. */
  postsMax: number;
  /** The same limit for replies; null: replies are not posts. */
  repliesMax: number | null;
  /** The kinds of text that become links. */
  marks: Parameters<typeof findMarks>[1];
  refusals: { notReady(): GraphError; published(): GraphError; gone(): GraphError; quota(): GraphError };
  me(account: Account): Record<string, unknown>;
  /** A container with these fields, validated as the network validates them before it responds. */
  make(account: Account, fields: Fields): Promise<Omit<Container, "id" | "madeAt" | "published">>;
  /** All readable fields of a post. */
  view(post: Post, account: Account): Record<string, unknown>;
  permalink(post: Post, account: Account): string;
  metrics(post: Post): string[];
  /** Whether a post is in the account's list. */
  isListed(post: Post): boolean;
}
