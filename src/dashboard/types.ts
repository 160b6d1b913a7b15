// The service's answers, under the names that pages use.
import type { Answer } from "../client/client.ts";

export type Post = Answer<"posts.get">;
export type Delivery = Post["deliveries"][number];
export type Channel = Answer<"channels.list">["channels"][number];
export type Rule = Answer<"platforms.list">["platforms"][number];
export type Media = Answer<"media.get">;
export type Me = Answer<"accounts.me">;
export type Workspace = Me["workspaces"][number];
export type DryRun = Extract<Answer<"posts.create">, { dry_run: true }>;
