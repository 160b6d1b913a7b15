// A workspace with an agent in it.
import type { Client } from "@modelcontextprotocol/client";
import { type Account, connect, signUp, unique } from "../../support/world.ts";
import { connectClient, ERAS } from "./clients.ts";

export const TOOLS = [
  "list_channels",
  "next_slots",
  "list_platform_rules",
  "draft_post",
  "queue_post",
  "update_post",
  "cancel_post",
  "take_down",
  "get_post",
  "list_posts",
  "find_posts",
  "review_post",
  "check_post",
  "create_upload",
  "register_media",
  "list_media",
  "set_alt_text",
  "get_usage",
  "get_analytics",
  "list_events",
];

export interface World {
  account: Account;
  client: Client;
  handle: string;
  channel: string;
}

/** A workspace with one channel, and an agent in it. */
export async function world(era = ERAS[1] ?? "2026-07-28"): Promise<World> {
  const account = await signUp();
  const handle = unique("acct");
  const channel = await connect(account.key, "bluesky", handle);
  return { account, handle: channel.handle, channel: channel.id, client: await connectClient(account.key, era) };
}
