// The tools: each is one operation of the contract, described for an agent.
import * as z from "zod";
import { operations } from "../contract/index.ts";
import { isoInstant, localReading } from "../domain/instant.ts";
import { ANALYTICS_DAYS } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";
import { FILE_TOOLS } from "./file-tools.ts";
import { POST_TOOLS } from "./post-tools.ts";
import { type Definition, makeTool, reads, type Tool } from "./tool.ts";

const DEFINITIONS: readonly Definition[] = [
  {
    name: "list_channels",
    title: "List channels",
    description:
      "Lists the workspace's channels, newest first, with `id`, `platform`, `handle` and `state`. Only `connected` ones " +
      "can be posted to. `workspace` has its clock.",
    operation: "channels.list",
    also: "workspaces.current",
    hints: reads,
    gives: { workspace: { type: "object", description: "`name`, `timezone`, `now` and `now_local`." } },
    answer: async (body, _args, { also, now }) => {
      const { name, timezone } = operations["workspaces.current"].result.parse(also);
      const workspace = { name, timezone, now: isoInstant(now), now_local: localReading(now, timezone) };
      return { ...Object(body), workspace };
    },
  },
  {
    name: "connect_channel",
    title: "Connect a channel",
    description:
      "Creates a link for the account's owner, who opens it and consents at the network. Give it to the user; `list_channels` has the channel " +
      "afterwards.",
    operation: "channels.start-connect",
    without: ["brand", "return_to"],
    hints: { openWorldHint: true, idempotentHint: false },
  },
  {
    name: "list_platform_rules",
    title: "List the networks' rules",
    description:
      "With `platform`, a network's whole rule, with the JSON Schema of its own `options` for `overrides`; without it, the main limits of " +
      "each. Posts are validated against exactly these numbers. With `channel` and `option` (`x-lookup: true`, or `mention`), the values " +
      "that the network offers.",
    operation: "platforms.list",
    alternatives: ["channels.options"],
    hints: reads,
    takes: {
      platform: { type: "string", description: "A channel's `platform`." },
      channel: { type: "string" },
      option: { type: "string" },
      q: { type: "string", description: "Words that a value has." },
      board: { type: "string" },
    },
    result: z.object({}),
    gives: { platforms: { type: "array" }, options: { type: "array" }, next: { type: ["string", "null"] } },
    translate: async ({ platform: _, channel, ...args }) => {
      if (channel === undefined && args.option === undefined) return { args: {}, idempotencyKey: null };
      if (channel === undefined || args.option === undefined) {
        const missing = channel === undefined ? "channel" : "option";
        const message = `\`${missing}\` is missing: a look-up takes a channel and an option.`;
        throw refuse("missing_field", { field: `/${missing}`, message });
      }
      return { args: { ...args, id: channel }, idempotencyKey: null, operation: "channels.options" };
    },
    async answer(body, { platform, option }) {
      if (option !== undefined) return Object(body);
      const { platforms, ...otherFields } = operations["platforms.list"].result.parse(body);
      if (platform === undefined) return { ...otherFields, platforms: platforms.map(summarizeRule) };
      const rule = platforms.find((candidate) => candidate.platform === platform);
      if (rule === undefined) throw refuse("unknown_platform", { field: "/platform" });
      return { ...otherFields, platforms: [rule] };
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

type Rule = z.output<(typeof operations)["platforms.list"]["result"]>["platforms"][number];

/** The limits of a network that decide whether a post is worth a try there. */
function summarizeRule({ platform, text_limit, caption_limit, text_unit, media, min_media, ...rule }: Rule): object {
  const { properties } = Object(rule.options);
  return {
    ...{ platform, publishes: rule.publishes, text_limit, caption_limit, text_unit, media, min_media },
    post_types: rule.post_types,
    takedown: rule.takedown,
    options: Object.keys(Object(properties)),
    ...(rule.thread === undefined ? {} : { thread: rule.thread }),
    ...(rule.poll === undefined ? {} : { poll: rule.poll }),
  };
}

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
      .flatMap(({ name, operation, alternatives = [] }) =>
        [operation, ...alternatives].map((called) => [`${operations[called].method} ${operations[called].path}`, name]),
      ),
  );
  return cachedNames;
}
