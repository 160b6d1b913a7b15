import { POST_STATUSES } from "../../src/domain/posts/post.ts";
import { type Answer, allPages, type Client } from "../api/client.ts";
import { allChannels } from "../channels.ts";
import { command } from "../command.ts";
import { relativeText, spanText } from "../output/format.ts";
import { formatDeliveryChannel, type Post, timeText, writePost } from "../output/show-post.ts";
import { writeTable } from "../output/table.ts";
import { type Output, oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

type Status = Post["status"];

/** The statuses of unfinished posts. All such posts are fetched, up to a maximum, to find those that are due next. */
const TO_COME: Status[] = ["draft", "scheduled", "queued", "publishing"];
const TO_COME_MAX = 2_000;
const PAGE = 200;
const NEXT_SHOWN = 5;

export const status = command({
  name: "status",
  summary: "Show a post, or without an id: all posts by status, the next ones due, and the state of the networks.",
  positionals: [{ name: "post", description: "Id of a post." }],
  flags: COMMON,
  examples: [
    ["crier status", "Counts by status and the next five posts."],
    ["crier status post_01…", "One post with its deliveries."],
    ["crier status post_01… --json | jq -r '.deliveries[].url'", "Print the addresses of the published posts."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const [id] = args.positionals;
    if (id !== undefined) {
      const [{ body: post }, channels] = await Promise.all([
        client.call("posts.get", { params: { id } }),
        allChannels(client),
      ]);
      if (args.has("json")) writeJson(out, post);
      else writePost(out, post, channels, client.now());
      return 0;
    }
    const [{ body: service }, ...postGroups] = await Promise.all([
      client.call("status.read"),
      ...POST_STATUSES.map((status) => fetchPosts(client, status)),
    ]);
    const due = postGroups
      .flatMap(({ status, posts }) => (status === "scheduled" || status === "queued" ? posts : []))
      .sort((a, b) => dueAt(a) - dueAt(b))
      .slice(0, NEXT_SHOWN);
    if (args.has("json")) {
      const counts = Object.fromEntries(
        postGroups.map(({ status, posts, more }) => [status, { count: posts.length, more }]),
      );
      writeJson(out, { counts, due_next: due, service });
      return 0;
    }
    writeTable(out, postGroups, [
      { title: "status", of: ({ status }) => status.replace("_", " ") },
      { title: "posts", of: ({ posts, more }) => `${posts.length}${more ? "+" : ""}`, align: "right" },
    ]);
    out.line();
    if (due.length === 0) out.line("No posts are due.");
    else await writeDue(out, client, due);
    writeNetworks(out, service);
    return 0;
  },
});

async function writeDue(out: Output, client: Client, due: Post[]): Promise<void> {
  const channels = await allChannels(client);
  const now = client.now();
  out.line(out.paint("bold", "Due next"));
  writeTable(out, due, [
    {
      title: "when",
      of: ({ publish_at, timezone }) =>
        publish_at === null ? "now" : timeText(publish_at, timezone, now).replace(/,.*$/, ""),
    },
    { title: "from now", of: (post) => relativeText(dueAt(post), now) },
    {
      title: "channels",
      of: ({ deliveries }) => deliveries.map((delivery) => formatDeliveryChannel(delivery, channels)).join(", "),
      least: 14,
    },
    { title: "text", of: ({ text }) => oneLine(text), least: 12 },
    { title: "post", of: ({ id }) => id },
  ]);
}

/** Lists the networks with the deliveries of all workspaces. Networks without data are omitted. */
function writeNetworks(out: Output, { networks }: Answer<"status.read">): void {
  const activeNetworks = networks.filter(
    ({ failing, published, failed_tries }) => failing || published > 0 || failed_tries > 0,
  );
  if (activeNetworks.length === 0) return;
  out.line();
  out.line(out.paint("bold", "Networks, in the last hour"));
  const late = (percentile: "p50" | "p99") => (network: (typeof activeNetworks)[number]) => {
    const seconds = network.lateness_seconds?.[percentile];
    if (seconds === undefined) return "";
    return seconds < 60 ? `${seconds} s` : spanText(seconds * 1000);
  };
  writeTable(out, activeNetworks, [
    { title: "network", of: ({ platform }) => platform },
    {
      title: "state",
      of: ({ failing }) => (failing ? "failing" : "works"),
      paint: (cell, { failing }) => (failing ? out.paint("red", cell) : cell),
    },
    { title: "published", of: ({ published }) => String(published), align: "right" },
    { title: "failed attempts", of: ({ failed_tries }) => String(failed_tries), align: "right" },
    { title: "median delay", of: late("p50"), align: "right" },
    { title: "p99 delay", of: late("p99"), align: "right" },
  ]);
}

function dueAt({ publish_at, created_at }: Post): number {
  return Date.parse(publish_at ?? created_at);
}

async function fetchPosts(client: Client, status: Status): Promise<{ status: Status; posts: Post[]; more: boolean }> {
  const page = async (cursor: string | undefined) => {
    const { body }: { body: Answer<"posts.list"> } = await client.call("posts.list", {
      query: { status, limit: String(PAGE), cursor },
    });
    return { items: body.posts, next: body.next };
  };
  const { items, more } = await allPages(page, TO_COME.includes(status) ? TO_COME_MAX : PAGE);
  return { status, posts: items, more };
}
