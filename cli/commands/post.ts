import { randomUUID } from "node:crypto";
import { storedLinkTags } from "../../src/domain/posts/link-tags.ts";
import { POST_TYPES } from "../../src/domain/posts/platform-rule.ts";
import type { Body } from "../api/client.ts";
import { readSetting } from "../args.ts";
import { findGroupedChannels } from "../channel-groups.ts";
import { allChannels, CHANNEL_FLAG, findChannel } from "../channels.ts";
import { command, type Shell } from "../command.ts";
import { EXIT, Refused, usage } from "../failure.ts";
import { factsText, inspectFile, pairAlts } from "../files.ts";
import { getLinkTags, LINK_FLAGS, readLinkTags } from "../link-tags.ts";
import { readFit } from "../media-fit.ts";
import { count, number, unitText } from "../output/format.ts";
import { formatDeliveryChannel, timeText, writeWarnings } from "../output/show-post.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { TIME_FORMS } from "../output/time.ts";
import { needsRules, readOverrides, readPublishAt, readTimezone } from "../overrides.ts";
import { readPoll } from "../poll.ts";
import { check, type DryRun, type Plan, publish } from "../publish.ts";
import { readText } from "../read-text.ts";
import { REPEAT_FLAGS, readRepeat } from "../repeat.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { readThread } from "../thread.ts";
import { readWait, WAIT_FLAG } from "../wait.ts";

export const post = command({
  name: "post",
  summary: "Publish text and files, now or later.",
  details:
    "The post is checked before any file is uploaded. If it breaks a rule of any channel, nothing is published. " +
    "A call without a response is repeated under the same idempotency key, so the post is published once.",
  positionals: [{ name: "text", description: "Text of the post, in quotes. `-` reads it from stdin." }],
  flags: {
    channel: {
      ...CHANNEL_FLAG,
      description: "Channel to publish to: an id, a handle, a platform, or platform:handle.",
    },
    group: {
      type: "string",
      short: "g",
      value: "GROUP",
      multiple: true,
      description: "Channel group to publish to: its name or its id.",
    },
    file: {
      type: "string",
      short: "f",
      value: "PATH",
      multiple: true,
      file: true,
      description: "File to attach. Files keep their order.",
    },
    alt: {
      type: "string",
      value: "TEXT",
      multiple: true,
      description: "Alt text. Put it right after its --file, or give one for each --file.",
    },
    "text-file": { type: "string", value: "PATH", file: true, description: "Read the text from a file (UTF-8)." },
    thread: {
      type: "string",
      value: "PATH",
      file: true,
      description: "File with the other parts of a thread: texts separated by lines of ---, or JSON.",
    },
    split: {
      type: "boolean",
      description: "Split a long text into a thread where networks have threads. --dry-run shows the parts.",
    },
    poll: { type: "string", value: "QUESTION", description: "Poll under the post. Add an --option for each answer." },
    option: { type: "string", value: "TEXT", multiple: true, description: "Answer to choose in the poll." },
    "poll-for": { type: "string", value: "TIME", description: "How long people can vote: 30m, 12h, 3d. Default: 1d." },
    at: { type: "string", value: "TIME", description: `Publishing time, in the workspace's time zone: ${TIME_FORMS}.` },
    ...REPEAT_FLAGS,
    ...LINK_FLAGS,
    type: { type: "string", value: "TYPE", options: POST_TYPES, description: "Post type." },
    adapt: { type: "boolean", description: "Convert images for channels that would refuse them." },
    exact: {
      type: "boolean",
      description: "Send files unchanged, even if the workspace converts them by default.",
    },
    set: {
      type: "string",
      value: "CHANNEL.OPTION=VALUE",
      multiple: true,
      description:
        "Override for one channel: its `text`, its time (`publish_at`), `thread=none`, `poll=none`, or a network option (see crier platforms NAME).",
    },
    label: {
      type: "string",
      short: "l",
      value: "LABEL",
      multiple: true,
      description: "Label to find the post by.",
    },
    draft: { type: "boolean", description: "Save as a draft without sending." },
    "dry-run": { type: "boolean", description: "Check the post without uploading or sending." },
    wait: WAIT_FLAG,
    "idempotency-key": {
      type: "string",
      value: "KEY",
      description: "Repeating a post under the same key publishes it once. Default: a new key for each run.",
    },
    ...COMMON,
  },
  examples: [
    ["crier post 'Hello' --channel @you", "Publish now on one channel."],
    ["crier post 'Out on Monday' -c @you -c @team --at 'monday 9:00'", "Publish later on two channels."],
    ["crier post 'Hello' --group 'Product news'", "Publish on the channels of a group."],
    ["crier post 'Look' -c @you --file a.jpg --alt 'A cat' --file b.jpg --alt 'A dog'", "Two pictures in this order."],
    [
      "crier post 'Look' -c @you --file photo.png --adapt",
      "Convert the picture for networks that need another format.",
    ],
    [
      "crier post --file clip.mp4 -c @you --dry-run",
      "Check the file against the network's rules without uploading it.",
    ],
    ["git log -1 --format=%B | crier post - -c @you --wait --json", "In a script: text from stdin, result as JSON."],
    ["crier post 'First' -c @you --thread rest.txt", "Publish a thread. The parts in rest.txt follow as replies."],
    [
      "crier post 'We are choosing.' -c @you --poll 'Which one?' --option Tea --option Coffee --poll-for 3d",
      "Publish a poll that is open for three days.",
    ],
    ["crier post 'Long' -c @you -c @team --set '@team.text=Short'", "Use another text on one channel."],
    [
      "crier post 'Open' -c @you -c @team --at 'monday 9:00' --set '@team.publish_at=monday 12:00'",
      "Publish at another time on one channel.",
    ],
    ["crier post 'Weekly tip' -c @you --at 'monday 9:00' --repeat week --variation 'Another tip'", "Repeat a post."],
  ],
  async run(args, shell) {
    const text = await readText(args.positionals[0], args.get("text-file"), shell);
    const files = await Promise.all(pairAlts(args.typed).map(({ path, alt }) => inspectFile(path, alt)));
    const threadFile = args.get("thread");
    const thread = threadFile === undefined ? undefined : await readThread(threadFile);
    if (args.has("split") && thread !== undefined) throw usage("--split and --thread cannot be used together.");
    const poll = readPoll(args.get("poll"), args.getAll("option"), args.get("poll-for"));
    const repeat = readRepeat(args);
    const linkTags = readLinkTags(args);
    const settings = args.getAll("set");
    // A setting without the form of one is refused before any call.
    for (const text of settings) readSetting(text);
    const waitMs = args.has("wait") ? readWait(args.get("wait")) : null;
    const keptKey = args.get("idempotency-key");
    if (keptKey !== undefined && !/^[\x20-\x7e]+$/.test(keptKey)) {
      throw usage(
        "The --idempotency-key contains characters that cannot be sent.",
        "use only printable ASCII characters",
      );
    }
    const client = await signedIn(args, shell);
    const channels = await allChannels(client);
    const namedChannels = new Set([
      ...args.getAll("channel").map((name) => findChannel(name, channels)),
      ...(await findGroupedChannels(client, args.getAll("group"), channels)),
    ]);
    const rules = args.has("split") || needsRules(settings) ? (await client.call("platforms.list")).body.platforms : [];
    const typedTime = /^\s*now\s*$/i.test(args.get("at") ?? "") ? undefined : args.get("at");
    const timezone = await readTimezone(client, settings, typedTime !== undefined);
    const now = client.now();
    const overrides = readOverrides(settings, { channels, rules, timezone, now });
    const fit = await readFit(args, client, files.length > 0);
    const labels = args.getAll("label");
    const type = POST_TYPES.find((postType) => postType === args.get("type"));
    const body: Body<"posts.create"> = {
      channels: Array.from(namedChannels, ({ id }) => id),
      ...(text === undefined ? {} : { text }),
      ...(thread === undefined ? {} : { thread }),
      ...(poll === undefined ? {} : { poll }),
      ...(typedTime === undefined ? {} : { publish_at: readPublishAt(typedTime, { now, timezone, flag: "--at" }) }),
      ...(overrides === undefined ? {} : { overrides }),
      ...(args.has("split")
        ? (await import("../split.ts")).splitPost({
            ...{ text, rules, overrides },
            channels: namedChannels,
            hasFiles: files.length > 0,
            linkTags: storedLinkTags(linkTags === undefined ? await getLinkTags(client) : linkTags, labels),
          })
        : {}),
      ...(repeat === undefined ? {} : { repeat }),
      ...(linkTags === undefined ? {} : { link_tags: linkTags }),
      ...(labels.length === 0 ? {} : { labels }),
      ...(args.has("draft") ? { draft: true } : {}),
      ...(type === undefined ? {} : { post_type: type }),
      ...(fit === undefined ? {} : { media_fit: fit }),
    };
    const isDryRun = args.has("dry-run");
    const plan: Plan = {
      body,
      files,
      channels,
      timezone,
      key: keptKey ?? randomUUID(),
      memory:
        keptKey === undefined ? null : (await import("../remembered.ts")).openMemory(shell.env, client.url, keptKey),
      asJson: args.has("json"),
      wait: waitMs,
    };
    try {
      if (isDryRun) {
        showDryRun(shell, await check(client, plan), plan, client.now());
        return EXIT.done;
      }
      const recalled = files.length === 0 ? [] : ((await plan.memory?.recall(files)) ?? null);
      if (files.length > 0 || typedTime !== undefined) {
        const outcome = await check(client, plan).catch((error: unknown) => {
          // For a reused key, the service returns the original post, even if it would refuse the post now.
          if (error instanceof Refused && plan.memory !== null && recalled !== null) return null;
          throw error;
        });
        if (outcome !== null && outcome.publish_at !== null) {
          const verb = outcome.status === "awaiting_approval" ? "Once approved, it will be published" : "Publishes";
          shell.err.line(`${verb} ${timeText(outcome.publish_at, timezone, client.now())}.`);
        }
      }
      return await publish(client, plan, recalled, shell);
    } catch (error) {
      if (error instanceof Refused) error.typed = { channels, files: files.map(({ path }) => path) };
      throw error;
    }
  },
});

function showDryRun(
  { out, err }: Shell,
  outcome: DryRun,
  { files, channels, timezone, asJson }: Plan,
  now: number,
): void {
  if (asJson) {
    writeJson(out, outcome);
    return;
  }
  const { status, publish_at, deliveries, counts, warnings } = outcome;
  const when = publish_at === null ? (status === "draft" ? "a draft" : "now") : timeText(publish_at, timezone, now);
  out.line(`${out.paint("green", "The post is valid:")} ${when}. Nothing was sent.`);
  for (const [i, file] of files.entries())
    out.line(`  ${i + 1}. ${file.name}: ${factsText(file)}${file.alt === null ? "" : `, “${oneLine(file.alt)}”`}`);
  if (deliveries.length > 0) {
    out.line();
    writeTable(out, deliveries, [
      { title: "channel", of: (delivery) => formatDeliveryChannel(delivery, channels), least: 12 },
      { title: "type", of: ({ post_type }) => post_type },
      {
        title: "text",
        of: ({ text_length, text_limit, text_unit }) =>
          `${number(text_length)} of ${number(text_limit)} ${unitText(text_unit)}`,
      },
      { title: "files", of: ({ media }) => (media === 0 ? "" : String(media)), align: "right" },
      { title: "price", of: ({ estimated_cost_usd: cost }) => (cost === null ? "" : `$${cost}`), align: "right" },
    ]);
  }
  for (const delivery of deliveries) {
    const { parts, text_unit } = delivery;
    for (const [i, file] of delivery.files.entries()) {
      if (file.adapted.length === 0) continue;
      const type = (file.content_type ?? "").replace("image/", "").toUpperCase();
      out.line(
        `  ${formatDeliveryChannel(delivery, channels)}: file ${i + 1} becomes ${type}, ${file.width} × ${file.height} pixels`,
      );
    }
    for (const { position, text_length, text_limit, media } of (parts ?? []).slice(1)) {
      const files = media === 0 ? "" : `, ${count(media, "file")}`;
      out.line(
        `  ${formatDeliveryChannel(delivery, channels)}, part ${position + 1} of ${parts?.length}: ` +
          `${number(text_length)} of ${number(text_limit)} ${unitText(text_unit)}${files}`,
      );
    }
  }
  const { posts_used: used, posts_allowed: allowed } = counts;
  out.line();
  out.line(`Posts used this month: ${number(used)} of ${allowed === null ? "unlimited" : number(allowed)}.`);
  writeWarnings(err, warnings, channels);
}
