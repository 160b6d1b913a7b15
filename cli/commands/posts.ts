import { POST_STATUSES } from "../../src/domain/posts/post.ts";
import type { Answer, Client } from "../api/client.ts";
import type { Channel } from "../channel.ts";
import { allChannels, findChannel } from "../channels.ts";
import { type Arguments, command, type Flags } from "../command.ts";
import { usage } from "../failure.ts";
import { localText } from "../output/format.ts";
import { formatDeliveryChannel, type Post } from "../output/show-post.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { bulkCommands } from "./bulk-posts.ts";

const FOUND_DEFAULT = 20;
const FOUND_MAX = 10_000;
const PAGE_MAX = 200;

/** The filters for posts. */
export const FILTERS = {
  status: { type: "string", value: "STATUS", options: POST_STATUSES, description: "Filter by status." },
  from: {
    type: "string",
    value: "TIME",
    description: "Due at or after this time: a date, or 2026-12-01T09:00:00Z.",
  },
  to: { type: "string", value: "TIME", description: "Due before this time." },
  channel: {
    type: "string",
    short: "c",
    value: "CHANNEL",
    description: "Filter by channel: an id, a handle, or platform:handle.",
  },
  platform: { type: "string", value: "NAME", description: "Filter by network." },
  label: { type: "string", short: "l", value: "LABEL", description: "Filter by label." },
  author: {
    type: "string",
    value: "ACTOR",
    description: "Filter by the user, key or application that changed it last: an id from crier events --json.",
  },
  q: { type: "string", short: "q", value: "WORDS", description: "Search for all of these words." },
  order: {
    type: "string",
    value: "ORDER",
    options: ["newest", "due"],
    description: "Sort order: newest (default) or due.",
  },
} as const satisfies Flags;

/** The filters in the service's form. */
export async function readFilters(args: Arguments<keyof typeof FILTERS>, client: Client, knownChannels?: Channel[]) {
  const channelName = args.get("channel");
  return {
    status: args.get("status"),
    from: args.get("from"),
    to: args.get("to"),
    // A disconnected channel is known only by its id.
    channel:
      channelName === undefined || channelName.startsWith("ch_")
        ? channelName
        : findChannel(channelName, knownChannels ?? (await allChannels(client))).id,
    platform: args.get("platform"),
    label: args.get("label"),
    author: args.get("author"),
    q: args.get("q"),
    order: args.get("order"),
  };
}

export const posts = command({
  name: "posts",
  summary: "Search posts by time, channel, label and words.",
  details: "A post must match all filters. Drafts are listed only with --status draft.",
  commands: bulkCommands,
  flags: {
    ...FILTERS,
    limit: { type: "string", value: "N", description: `Maximum number (default ${FOUND_DEFAULT}).` },
    ...COMMON,
  },
  examples: [
    ["crier posts --from 2026-12-01 --to 2027-01-01 --order due", "December's posts in order."],
    ["crier posts -q 'winter sale' -c @you", "Posts on that channel with both words."],
    ["crier posts --label winter --status failed --json | jq -r '.posts[].id'", "For a script."],
  ],
  async run(args, shell) {
    const { out, err } = shell;
    const limit = readLimit(args.get("limit"));
    const client = await signedIn(args, shell);
    const asJson = args.has("json");
    const channelName = args.get("channel");
    const channels = asJson && channelName === undefined ? [] : await allChannels(client);
    const query = await readFilters(args, client, channels);
    const matchingPosts: Post[] = [];
    let next: string | null = null;
    do {
      const page: Record<string, string | undefined> = {
        limit: `${Math.min(limit - matchingPosts.length, PAGE_MAX)}`,
        cursor: next ?? undefined,
      };
      const reply: { body: Answer<"posts.list"> } = await client.call("posts.list", { query: { ...query, ...page } });
      const { body } = reply;
      matchingPosts.push(...body.posts);
      next = body.next;
    } while (next !== null && matchingPosts.length < limit);
    if (asJson) {
      writeJson(out, { posts: matchingPosts, next });
      return 0;
    }
    if (matchingPosts.length === 0) {
      out.line("No posts match these filters.");
      return 0;
    }
    writeTable(out, matchingPosts, [
      { title: "due", of: ({ due_at, timezone }) => (due_at === null ? "" : localText(Date.parse(due_at), timezone)) },
      { title: "status", of: ({ status }) => status.replace("_", " ") },
      {
        title: "channels",
        of: (post) => post.deliveries.map((delivery) => formatDeliveryChannel(delivery, channels)).join(", "),
        least: 14,
      },
      { title: "text", of: ({ text }) => oneLine(text), least: 12 },
      { title: "post", of: ({ id }) => id },
    ]);
    if (next !== null) err.line(`There are more posts. To see them, use a --limit above ${limit}.`);
    return 0;
  },
});

function readLimit(typed: string | undefined): number {
  if (typed === undefined) return FOUND_DEFAULT;
  const limit = /^\d{1,9}$/.test(typed) ? Number(typed) : 0;
  if (limit >= 1 && limit <= FOUND_MAX) return limit;
  throw usage(`--limit must be a number from 1 to ${FOUND_MAX}.`);
}
