import type { Body } from "../api/client.ts";
import { readSetting } from "../args.ts";
import { allChannels, CHANNEL_FLAG, findChannel } from "../channels.ts";
import { command } from "../command.ts";
import { Refused, usage } from "../failure.ts";
import { writePost } from "../output/show-post.ts";
import { TIME_FORMS } from "../output/time.ts";
import { needsRules, readOverrides, readPublishAt, readTimezone } from "../overrides.ts";
import { readText } from "../read-text.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

type Change = Body<"posts.update">;

export const edit = command({
  name: "edit",
  summary: "Change a post that has not started publishing: its text, time, channels or options.",
  details:
    "What is not given stays. The edit is refused if someone has changed the post meanwhile, and a post that breaks a rule " +
    "afterwards is not changed.",
  positionals: [
    { name: "post", description: "Id of the post.", required: true },
    { name: "text", description: "New text; - reads it from stdin." },
  ],
  flags: {
    "text-file": { type: "string", value: "PATH", file: true, description: "Read the new text from a file (UTF-8)." },
    at: { type: "string", value: "TIME", description: `New time, in the workspace's time zone: ${TIME_FORMS}.` },
    release: { type: "boolean", description: "Release a draft: publish it at its time, or now if it has none." },
    draft: { type: "boolean", description: "Make a scheduled post a draft again." },
    channel: {
      ...CHANNEL_FLAG,
      description: "Channel to publish to. Replaces all channels of the post. May be repeated.",
    },
    set: {
      type: "string",
      value: "CHANNEL.OPTION=VALUE",
      multiple: true,
      description: "Override for one channel, as in crier post. Other overrides stay.",
    },
    label: { type: "string", short: "l", value: "LABEL", multiple: true, description: "Label. Replaces all labels." },
    rev: { type: "string", value: "REV", description: "Edit only if the post is still at this revision (`rev`)." },
    ...COMMON,
  },
  examples: [
    ["crier edit post_01… 'A better text'", "Replace the text."],
    ["crier edit post_01… --at 'tomorrow 9:00'", "Publish it at another time."],
    ["crier edit post_01… --release --at now", "Publish a draft now."],
    ["crier edit post_01… --set '@you.text=Shorter'", "Give one channel a text of its own."],
  ],
  async run(args, shell) {
    const [id = "", word] = args.positionals;
    const text = await readText(word, args.get("text-file"), shell);
    if (args.has("release") && args.has("draft")) throw usage("--release and --draft cannot be used together.");
    const settings = args.getAll("set");
    for (const setting of settings) readSetting(setting);
    const client = await signedIn(args, shell);
    const [{ body: post }, channels] = await Promise.all([
      client.call("posts.get", { params: { id } }),
      allChannels(client),
    ]);
    const typedTime = args.get("at");
    const timezone = await readTimezone(client, settings, typedTime !== undefined);
    const now = client.now();
    const rules = needsRules(settings) ? (await client.call("platforms.list")).body.platforms : [];
    const own = readOverrides(settings, { channels, rules, timezone, now });
    const overrides: Change["overrides"] = own && { ...post.overrides };
    for (const [channel, values] of Object.entries(own ?? {})) {
      if (overrides !== undefined) overrides[channel] = { ...overrides[channel], ...values };
    }
    const named = args.getAll("channel").map((name) => findChannel(name, channels));
    const labels = args.getAll("label");
    const change: Change = {
      ...(text === undefined ? {} : { text }),
      ...(typedTime === undefined ? {} : { publish_at: readPublishAt(typedTime, { now, timezone, flag: "--at" }) }),
      ...(args.has("release") ? { draft: false } : {}),
      ...(args.has("draft") ? { draft: true } : {}),
      ...(named.length === 0 ? {} : { channels: named.map((channel) => channel.id) }),
      ...(overrides === undefined ? {} : { overrides }),
      ...(labels.length === 0 ? {} : { labels }),
    };
    if (Object.keys(change).length === 0) throw usage("There is nothing to change.", "crier edit --help");
    try {
      const rev = args.get("rev") ?? String(post.rev);
      const { body } = await client.call("posts.update", { params: { id }, body: change, rev });
      if (args.has("json")) writeJson(shell.out, body);
      else writePost(shell.out, body, channels, client.now());
    } catch (error) {
      if (error instanceof Refused) error.typed = { channels: named.length === 0 ? channels : named, files: [] };
      throw error;
    }
    return 0;
  },
});
