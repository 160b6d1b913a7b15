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
      "Lists the workspace's channels, newest first, with `id`, `platform`, `handle` and `state`. Only `connected` ones " +
      "can be posted to.",
    operation: "channels.list",
    hints: reads,
  },
  {
    name: "list_platform_rules",
    title: "List the networks' rules",
    description:
      "Lists each network's rules: text limits and units, number, types, sizes and lengths of files, post types, " +
      "and the JSON Schema of its own `options` for `overrides`. Posts are validated against exactly these numbers.",
    operation: "platforms.list",
    hints: reads,
    takes: {
      platform: {
        type: "string",
        enum: networks.map(({ rule }) => rule.platform),
        description: "A single network: the `platform` of a channel.",
      },
    },
    translate: async () => ({ args: {}, idempotencyKey: null }),
    async answer(body, { platform }) {
      const { platforms, ...otherFields } = operations["platforms.list"].result.parse(body);
      const matchingPlatforms = platforms.filter((rule) => platform === undefined || rule.platform === platform);
      if (matchingPlatforms.length === 0) throw refuse("unknown_platform", { field: "/platform" });
      return { platforms: matchingPlatforms, ...otherFields };
    },
  },
  ...POST_TOOLS,
  {
    name: "next_slots",
    title: "See the next free slots",
    description:
      "Lists the next weekly slots of the workspace with no post on any of `channels`. `publish_at: next_slot` in a post " +
      "takes the first. A checked post gets the slot that `check_post` showed, or is refused.",
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
    title: "Get usage",
    description:
      "Returns this calendar month's use of the plan: posts, bytes of files, and whether files can be uploaded.",
    operation: "usage.read",
    hints: reads,
  },
  {
    name: "get_analytics",
    title: "Get figures",
    description:
      "Returns each network's figures for posts of the last `days` or of dates, with the deliveries behind each. " +
      "Networks count differently: never add up their figures. A missing figure is not zero.",
    operation: "analytics.read",
    hints: reads,
    // Short schemas, because a model pays for every word.
    takes: {
      days: { type: "string", enum: [...ANALYTICS_DAYS] },
      from: { type: "string" },
      to: { type: "string" },
      channel: { type: "string" },
    },
    without: ["compare", "label"],
    result: operations["analytics.read"].result.pick({ days: true, networks: true }),
  },
  {
    name: "list_events",
    title: "List events",
    description: "Lists events, newest first. To poll, use `order: oldest` and pass `next` as `cursor`.",
    operation: "events.list",
    hints: reads,
    without: ["actor"],
  },
];

let cachedTools: readonly Tool[] | undefined;

/** The tools, in listing order. Their schemas are generated when the first client asks. */
export function tools(): readonly Tool[] {
  cachedTools ??= DEFINITIONS.map(makeTool);
  return cachedTools;
}

let cachedNames: ReadonlyMap<string, string> | undefined;

/** The tools that do what calls of the REST API do, by method and path, for hints. */
export function toolsOfCalls(): ReadonlyMap<string, string> {
  cachedNames ??= new Map(
    tools()
      .toReversed()
      .map(({ name, operation }) => [`${operations[operation].method} ${operations[operation].path}`, name]),
  );
  return cachedNames;
}
