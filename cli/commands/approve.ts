import type { Client } from "../api/client.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { oneLine } from "../output/terminal.ts";
import { readTime, TIME_FORMS } from "../output/time.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

const POST = [{ name: "post", description: "Id of the post.", required: true }] as const;
const REV = {
  rev: {
    type: "string",
    value: "REV",
    description: "Revision you reviewed. Default: the current one.",
  },
} as const;

function parseRevision(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usage("--rev is not a valid revision number.", "to see it: crier status POST --json");
  return Number(text);
}

/** The `publish_at` that `--at` of an approval names; null: now. */
export async function parsePublishTime(client: Client, text: string): Promise<string | null> {
  if (text.trim().toLowerCase() === "now") return null;
  const { body: workspace } = await client.call("workspaces.current");
  const read = readTime(text, client.now(), workspace.timezone);
  if (read === null) throw usage("--at is not a valid time.", `use now, ${TIME_FORMS}`);
  return read;
}

export const approve = command({
  name: "approve",
  summary: "Approve a post.",
  details: "The post is scheduled as it is. crier posts --status awaiting_approval lists the posts to approve.",
  positionals: [...POST],
  flags: {
    ...REV,
    at: { type: "string", value: "TIME", description: `Publish at another time: now, ${TIME_FORMS}.` },
    ...COMMON,
  },
  examples: [["crier approve post_01…", "Publish it at its time."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const client = await signedIn(args, shell);
    const rev = parseRevision(args.get("rev"));
    const decidedOn = rev === undefined ? await readContent() : { rev };
    const typedTime = args.get("at");
    const publish_at = typedTime === undefined ? undefined : await parsePublishTime(client, typedTime);
    const { body } = await client.call("posts.approve", {
      params: { id },
      body: { ...decidedOn, ...(publish_at === undefined ? {} : { publish_at }) },
    });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Approved: ${body.id} will be published ${body.publish_at ?? "now"}.`);
    return 0;

    async function readContent() {
      const { body: post } = await client.call("posts.get", { params: { id } });
      return { rev: post.rev, content_tag: post.content_tag };
    }
  },
});

export const decline = command({
  name: "decline",
  summary: "Decline a post with a reason. It becomes a draft again.",
  positionals: [...POST],
  flags: {
    reason: { type: "string", value: "TEXT", description: "Reason shown to the author." },
    ...REV,
    ...COMMON,
  },
  examples: [["crier decline post_01… --reason 'Not before Monday.'", "The author sees the reason."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const reason = args.get("reason");
    if (reason === undefined) throw usage("--reason is missing.", "crier decline --help");
    const rev = parseRevision(args.get("rev"));
    const client = await signedIn(args, shell);
    const { body } = await client.call("posts.decline", {
      params: { id },
      body: { reason, ...(rev === undefined ? {} : { rev }) },
    });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Declined: ${body.id} is a draft again. ${oneLine(body.approval?.reason ?? "")}`);
    return 0;
  },
});
