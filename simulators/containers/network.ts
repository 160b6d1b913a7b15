// What a network on which a post is a container first says of itself: Instagram and Threads.
import type { marksOf } from "../marks.ts";
import type { Account, Container, Post } from "./accounts.ts";
import type { Fields, GraphError } from "./graph.ts";
import type { Sign } from "./tokens.ts";

export interface Network {
  sign: Sign;
  /** Paths below the account, which are the names of the calls too. */
  paths: { posts: string; publish: string; quota: string };
  /** Names of the calls on one object, and of the list of posts. */
  calls: { container: string; post: string; list: string };
  /** The version that stands before every path; tokens are made without one. */
  version: RegExp;
  /** An app may have a token of its own. */
  appTokens?: true;
  scopes: {
    basic: string;
    publish: string;
    insights: string;
    comment: string;
    /** To list replies; null: there are none. */
    replies: string | null;
    location: string | null;
    delete: string | null;
  };
  /** Members of a container. */
  state: { status: string; problem: string };
  /** Posts that an account may publish in 24 hours. */
  postsMax: number;
  /** The same of replies; null: its replies are no posts. */
  repliesMax: number | null;
  /** What is pressable in a text there. */
  marks: Parameters<typeof marksOf>[1];
  refusals: { notReady(): GraphError; published(): GraphError; gone(): GraphError; quota(): GraphError };
  me(account: Account): Record<string, unknown>;
  /** A container of these fields, checked as the network checks them before it answers. */
  make(account: Account, fields: Fields): Promise<Omit<Container, "id" | "madeAt" | "published">>;
  /** All that can be read of a post. */
  view(post: Post, account: Account): Record<string, unknown>;
  permalink(post: Post, account: Account): string;
  metrics(post: Post): string[];
  /** Whether a post is in the account's list. */
  isListed(post: Post): boolean;
}
