import { NEXT_SLOT } from "../../src/domain/next-slot.ts";
import { allPages } from "../api/client.ts";
import { allChannels, CHANNEL_FLAG, findChannel } from "../channels.ts";
import { command } from "../command.ts";
import { makeDeletion } from "../deletion.ts";
import { usage } from "../failure.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

const FEED = { name: "feed", description: "Id of the feed: feed_01…", required: true } as const;
const TEMPLATE = { type: "string", value: "TEXT" } as const;

const add = command({
  name: "add",
  summary: "Make a draft, or a post, of each new item of an RSS or Atom feed.",
  positionals: [{ name: "url", description: "Address of the feed.", required: true }],
  flags: {
    channel: {
      ...CHANNEL_FLAG,
      description: "Channel: an id, a handle, a platform, or platform:handle.",
    },
    name: { type: "string", value: "NAME", description: "Name. Default: the feed's title." },
    template: { ...TEMPLATE, description: "Text of each post. Default: '{title}\\n\\n{link}'." },
    post: { type: "boolean", description: "Make posts, not drafts." },
    "next-slot": { type: "boolean", description: "Give each post the next free slot." },
    every: { type: "string", value: "MINUTES", description: "How often it is read: 15 to 1440. Default: 60." },
    ...COMMON,
  },
  examples: [
    ["crier feeds add https://blog.example.com/feed.xml -c x", "Drafts for one channel."],
    [
      "crier feeds add https://blog.example.com/feed.xml -c x --post --next-slot",
      "Posts in the next free slots, without a person's look at them.",
    ],
  ],
  async run(args, shell) {
    const [url = ""] = args.positionals;
    const name = args.get("name");
    const template = args.get("template")?.replaceAll("\\n", "\n");
    const every = args.get("every");
    if (every !== undefined && !/^\d{1,6}$/.test(every))
      throw usage("--every is not a number of minutes.", "use 15 to 1440");
    const client = await signedIn(args, shell);
    const workspaceChannels = await allChannels(client);
    const { body } = await client.call("feeds.create", {
      body: {
        url,
        channels: args.getAll("channel").map((channel) => findChannel(channel, workspaceChannels).id),
        draft: !args.has("post"),
        publish_at: args.has("next-slot") ? NEXT_SLOT : null,
        ...(name === undefined ? {} : { name }),
        ...(template === undefined ? {} : { template }),
        ...(every === undefined ? {} : { interval_minutes: Number(every) }),
      },
    });
    if (args.has("json")) writeJson(shell.out, body);
    else {
      shell.out.line(`Added ${oneLine(body.name)} (${body.id}). The items that it has now make no posts.`);
      if (body.preview !== null) shell.out.line(`\nThe newest item would read:\n\n${body.preview}`);
    }
    return 0;
  },
});

const change = command({
  name: "change",
  summary: "Pause a feed, go on with it, or give its posts another text.",
  positionals: [FEED],
  flags: {
    pause: { type: "boolean", description: "Stop reading it." },
    resume: { type: "boolean", description: "Read it again. Items that appeared meanwhile follow." },
    template: { ...TEMPLATE, description: "New text of each post." },
    ...COMMON,
  },
  examples: [["crier feeds change feed_01… --pause", "Its posts stay."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const template = args.get("template")?.replaceAll("\\n", "\n");
    const isPaused = args.has("pause") ? true : args.has("resume") ? false : undefined;
    if (template === undefined && isPaused === undefined) {
      throw usage("There is nothing to change.", "use --pause, --resume or --template");
    }
    const client = await signedIn(args, shell);
    const { body } = await client.call("feeds.change", {
      params: { id },
      body: {
        ...(template === undefined ? {} : { template }),
        ...(isPaused === undefined ? {} : { paused: isPaused }),
      },
    });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Changed ${oneLine(body.name)} (${body.id}).`);
    return 0;
  },
});

const remove = makeDeletion({
  summary: "Delete a feed. The posts that it has made stay.",
  positional: FEED,
  examples: [["crier feeds delete feed_01…", "crier feeds lists them."]],
  remove: (client, id) => client.call("feeds.remove", { params: { id } }),
});

export const feeds = command({
  name: "feeds",
  summary: "List the feeds that posts are made of.",
  flags: COMMON,
  commands: [add, change, remove],
  examples: [["crier feeds", "List the feeds, newest first, with what went wrong at their last read."]],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const { items } = await allPages(async (cursor) => {
      const { body } = await client.call("feeds.list", { query: { limit: "200", cursor } });
      return { items: body.feeds, next: body.next };
    });
    if (args.has("json")) writeJson(out, { feeds: items, next: null });
    else if (items.length === 0) out.line("There are no feeds. Add one: crier feeds add URL -c CHANNEL");
    else {
      writeTable(out, items, [
        { title: "name", of: ({ name }) => oneLine(name), least: 12 },
        { title: "state", of: ({ paused, problem }) => (paused ? "paused" : (problem?.code ?? "ok")) },
        { title: "makes", of: ({ draft }) => (draft ? "drafts" : "posts") },
        { title: "posts", of: ({ posts }) => `${posts}` },
        { title: "address", of: ({ url }) => oneLine(url), least: 20 },
        { title: "id", of: ({ id }) => id },
      ]);
      for (const { name, problem } of items) {
        if (problem !== null) out.line(`${oneLine(name)}: ${oneLine(problem.message)}`);
      }
    }
    return 0;
  },
});
