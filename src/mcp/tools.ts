// The tools: each is one operation of the contract, described for an agent.
import { operations } from "../contract/index.ts";
import { ANALYTICS_DAYS } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";
import { networks } from "../networks/index.ts";
import { FILE_TOOLS } from "./file-tools.ts";
import { POST_TOOLS } from "./post-tools.ts";
import { type Definition, makeTool, reads, type Tool } from "./tool.ts";

const DEFINITIONS: readonly Definition[] = [
  {
    name: "list_channels",
    title: "List channels",
    description:
      "The workspace's accounts, newest first, with `id`, `platform`, `handle` and `state`. Only `connected` ones " +
      "can be posted to.",
    operation: "channels.list",
    hints: reads,
  },
  {
    name: "list_platform_rules",
    title: "List the networks' rules",
    description:
      "What each network takes: text limits and how it counts, how many files of which types, sizes and lengths, post types, " +
      "and the JSON Schema of its own `options` for `overrides`. Posts are refused by exactly these numbers.",
    operation: "platforms.list",
    hints: reads,
    takes: {
      platform: {
        type: "string",
        enum: networks.map(({ rule }) => rule.platform),
        description: "One network, by the `platform` of a channel.",
      },
    },
    translate: async () => ({ args: {}, idempotencyKey: null }),
    async answer(body, { platform }) {
      const { platforms, ...rest } = operations["platforms.list"].result.parse(body);
      const named = platforms.filter((rule) => platform === undefined || rule.platform === platform);
      if (named.length === 0) throw refuse("unknown_platform", { field: "/platform" });
      return { platforms: named, ...rest };
    },
  },
  ...POST_TOOLS,
  {
    name: "next_slots",
    title: "See the next free slots",
    description:
      "The next times of the workspace's weekly slots that have no post on any of `channels`. `publish_at: next_slot` in a post " +
      "takes the first; a post that was checked gets the slot that `check_post` showed, or is refused.",
    operation: "slots.next",
    hints: reads,
    takes: { channels: { type: "array", minItems: 1, description: "The channels of the post." } },
    translate: async ({ channels, ...args }) => ({
      args: { ...args, ...(Array.isArray(channels) ? { channels: channels.join(",") } : {}) },
      idempotencyKey: null,
    }),
  },
  ...FILE_TOOLS,
  {
    name: "get_usage",
    title: "Read the plan's use",
    description:
      "This calendar month against the plan: posts and bytes of files, and whether files can be uploaded here.",
    operation: "usage.read",
    hints: reads,
  },
  {
    name: "get_analytics",
    title: "Read the figures",
    description:
      `What the networks reported about the posts of the last ${ANALYTICS_DAYS.join(" or ")} days, per network. A figure says how many deliveries ` +
      "reported it. Never add figures of different networks: they count differently. No figure is not zero.",
    operation: "analytics.read",
    hints: reads,
  },
  {
    name: "list_events",
    title: "List what happened",
    description: "Events, newest first. To poll, use `order: oldest` and pass `next` as `cursor`.",
    operation: "events.list",
    hints: reads,
    without: ["actor"],
  },
];

let made: readonly Tool[] | undefined;

/** The tools, in listing order. Their schemas are generated when the first client asks. */
export function tools(): readonly Tool[] {
  made ??= DEFINITIONS.map(makeTool);
  return made;
}
