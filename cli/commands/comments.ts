import { allPages } from "../api/client.ts";
import { command } from "../command.ts";
import { relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { readText } from "../read-text.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

const POST = { name: "post", description: "Id of the post.", required: true } as const;

const add = command({
  name: "add",
  summary: "Comment on a post. Comments are never published.",
  details: "A member whose name or email address follows an @ gets a mail.",
  positionals: [
    POST,
    { name: "text", description: "The comment, in quotes. `-` reads it from stdin.", required: true },
  ],
  flags: COMMON,
  examples: [["crier comments add post_01… '@Grace, is the second picture final?'", "Grace gets a mail."]],
  async run(args, shell) {
    const [id = "", typed] = args.positionals;
    const text = (await readText(typed, undefined, shell)) ?? "";
    const client = await signedIn(args, shell);
    const { body } = await client.call("comments.create", { params: { id }, body: { text } });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Added ${body.id} as ${oneLine(body.by)}.`);
    return 0;
  },
});

export const comments = command({
  name: "comments",
  summary: "List the comments of members on a post, newest first.",
  positionals: [POST],
  flags: COMMON,
  commands: [add],
  examples: [["crier comments post_01…", "Includes what visitors of portals wrote."]],
  async run(args, shell) {
    const { out } = shell;
    const [id = ""] = args.positionals;
    const client = await signedIn(args, shell);
    const { items } = await allPages(async (cursor) => {
      const { body } = await client.call("comments.list", { params: { id }, query: { limit: "200", cursor } });
      return { items: body.comments, next: body.next };
    });
    if (args.has("json")) writeJson(out, { comments: items, next: null });
    else if (items.length === 0) out.line("There are no comments. Add one: crier comments add POST TEXT");
    else {
      writeTable(out, items, [
        { title: "by", of: ({ by }) => oneLine(by), least: 10 },
        { title: "at", of: ({ at }) => relativeText(Date.parse(at), client.now()) },
        { title: "comment", of: ({ text }) => oneLine(text), least: 20, folds: true },
      ]);
    }
    return 0;
  },
});
