// The acts on many posts, as subcommands of `posts`.
import { type BulkAnswer, changeInCalls } from "../../src/client/change-in-calls.ts";
import type { Body, Client } from "../api/client.ts";
import { type Arguments, command, type Shell } from "../command.ts";
import { EXIT, toExitCode, usage } from "../failure.ts";
import { count } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { INSTANT_FORMS, readSeconds, readTime, TIME_FORMS } from "../output/time.ts";
import { readText } from "../read-text.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";
import { parsePublishTime } from "./approve.ts";

type BulkBody = Body<"posts.bulk">;
type Act = Omit<BulkBody, "posts">;

const POSTS = {
  name: "post",
  description: "Ids of the posts. `-` reads them from stdin, one on each line.",
  required: true,
  many: true,
} as const;
const DETAILS = "Each post is changed completely or not at all, with the rules of the act on a single post.";

const move = command({
  name: "move",
  summary: "Give posts another time.",
  details: DETAILS,
  positionals: [POSTS],
  flags: {
    at: { type: "string", value: "TIME", description: `The same new time for all: ${TIME_FORMS}.` },
    by: { type: "string", value: "SPAN", description: "Later by this span, or earlier: +1d, +2h 30min, --by=-1d." },
    ...COMMON,
  },
  examples: [
    ["crier posts move post_01… post_02… --by +1d", "Each a day later."],
    [
      "crier posts --label winter --status scheduled --json | jq -r '.posts[].id' | crier posts move - --by=-2h",
      "All found posts, two hours earlier.",
    ],
  ],
  async run(args, shell) {
    const [at, by] = [args.get("at"), args.get("by")];
    if ((at === undefined) === (by === undefined)) throw usage("Give either --at or --by.", "crier posts move --help");
    const by_seconds = by === undefined ? null : readSeconds(by);
    if (by !== undefined && by_seconds === null)
      throw usage("--by is not a valid span.", "use +1d, +2h 30min, --by=-1d");
    return act(args, shell, async (client) => {
      if (by_seconds !== null) return { do: "move", by_seconds };
      const { timezone } = (await client.call("workspaces.current")).body;
      const publish_at = readTime(at ?? "", client.now(), timezone);
      if (publish_at === null) throw usage("--at is not a valid time.", `use ${INSTANT_FORMS}`);
      return { do: "move", publish_at };
    });
  },
});

const label = command({
  name: "label",
  summary: "Add labels to posts, and remove labels from them.",
  details: DETAILS,
  positionals: [POSTS],
  flags: {
    add: { type: "string", value: "LABEL", multiple: true, description: "Label to add." },
    remove: { type: "string", value: "LABEL", multiple: true, description: "Label to remove." },
    ...COMMON,
  },
  examples: [["crier posts label post_01… post_02… --add winter --remove autumn", "For both posts."]],
  async run(args, shell) {
    const [added, removed] = [args.getAll("add"), args.getAll("remove")];
    if (added.length + removed.length === 0) throw usage("--add or --remove is missing.", "crier posts label --help");
    return act(args, shell, async () => ({ do: "label", labels: { add: added, remove: removed } }));
  },
});

const approve = command({
  name: "approve",
  summary: "Approve posts as they are.",
  details: `${DETAILS} crier posts --status awaiting_approval lists the posts to approve.`,
  positionals: [POSTS],
  flags: {
    at: { type: "string", value: "TIME", description: `Publish all at another time: now, ${TIME_FORMS}.` },
    ...COMMON,
  },
  examples: [["crier posts approve post_01… post_02…", "Each is published at its time."]],
  run(args, shell) {
    const at = args.get("at");
    return act(args, shell, async (client) => ({
      do: "approve",
      ...(at === undefined ? {} : { publish_at: await parsePublishTime(client, at) }),
    }));
  },
});

const remove = command({
  name: "delete",
  summary: "Cancel posts that have not finished, and discard drafts.",
  details: DETAILS,
  positionals: [POSTS],
  flags: COMMON,
  examples: [["crier posts delete post_01… post_02…", "As crier cancel does for one post."]],
  run: (args, shell) => act(args, shell, async () => ({ do: "delete" })),
});

export const bulkCommands = [move, label, approve, remove];

/** Does `read`'s act on the posts at their current revisions, and prints what became of each. */
async function act(
  args: Pick<Arguments<"json">, "has" | "positionals"> & Pick<Arguments, "get">,
  shell: Shell,
  read: (client: Client) => Promise<Act>,
): Promise<number> {
  const ids = await readIds(args.positionals, shell);
  const client = await signedIn({ ...args, getAll: () => [], typed: [] }, shell);
  const bulkAct = await read(client);
  const posts: BulkBody["posts"] = [];
  for (const id of ids) {
    const { rev } = (await client.call("posts.get", { params: { id } })).body;
    posts.push({ id, rev });
  }
  const answers = await changeInCalls(posts, async (sentPosts) => {
    const { body } = await client.call("posts.bulk", { body: { ...bulkAct, posts: sentPosts } });
    return body.posts;
  });
  return show(answers, shell, args.has("json"));
}

/** The ids, each once. */
async function readIds(words: string[], shell: Shell): Promise<string[]> {
  const typed = words.includes("-") ? ((await readText("-", undefined, shell)) ?? "").split(/\s+/) : [];
  const ids = new Set([...words.filter((word) => word !== "-"), ...typed.filter((word) => word !== "")]);
  if (ids.size === 0) throw usage("There are no posts on stdin.");
  return [...ids];
}

function show(answers: BulkAnswer[], { out, err }: Shell, asJson: boolean): number {
  const refused = answers.filter(({ error }) => error !== null);
  if (asJson) writeJson(out, { posts: answers });
  else {
    writeTable(out, answers, [
      { title: "post", of: ({ id }) => id },
      {
        title: "result",
        of: ({ post, error }) =>
          error === null ? (post?.status.replace("_", " ") ?? "discarded") : `refused: ${oneLine(error.message)}`,
        least: 20,
        folds: true,
        paint: (cell, { error }) => out.paint(error === null ? "green" : "red", cell),
      },
      { title: "due", of: ({ post }) => post?.due_at ?? "" },
      { title: "labels", of: ({ post }) => (post?.labels ?? []).map(oneLine).join(", "), least: 10 },
    ]);
  }
  const [first] = refused;
  if (first === undefined) return EXIT.done;
  err.line(
    `${count(refused.length, "post")} of ${answers.length} ${refused.length === 1 ? "was" : "were"} not changed.`,
  );
  return toExitCode(first.status);
}
