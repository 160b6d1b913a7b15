// A workspace with an agent.
import type { Client } from "@modelcontextprotocol/client";
import { type Account, connect, signUp, unique } from "../../support/world.ts";
import { connectClient, ERAS } from "./clients.ts";

export const TOOLS = [
  "list_channels",
  "connect_channel",
  "next_slots",
  "list_platform_rules",
  "draft_post",
  "queue_post",
  "update_post",
  "cancel_post",
  "change_delivery",
  "get_post",
  "list_posts",
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

/** Opens a workspace with one channel, and connects an agent to it. */
export async function openWorld(era = ERAS[1] ?? "2026-07-28"): Promise<World> {
  const account = await signUp();
  const handle = unique("acct");
  const channel = await connect(account.key, "bluesky", handle);
  return { account, handle: channel.handle, channel: channel.id, client: await connectClient(account.key, era) };
}
