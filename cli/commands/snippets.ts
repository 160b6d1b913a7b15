import { SNIPPET_KINDS, type SnippetKind } from "../../src/domain/snippet.ts";
import { allPages } from "../api/client.ts";
import { command } from "../command.ts";
import { makeDeletion } from "../deletion.ts";
import { usage } from "../failure.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { readText } from "../read-text.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

const SNIPPET = { name: "snippet", description: "Id of the snippet: snip_01…", required: true } as const;
const KIND = { type: "string", value: "KIND", options: SNIPPET_KINDS } as const;

/** The kind in `text`, which is one of `SNIPPET_KINDS` if the flag was given. */
const readKind = (text: string | undefined): SnippetKind | undefined => SNIPPET_KINDS.find((kind) => kind === text);

const create = command({
  name: "create",
  summary: "Create a snippet.",
  positionals: [
    { name: "name", description: "Name of the snippet.", required: true },
    { name: "text", description: "Its text, in quotes. `-` reads it from stdin.", required: true },
  ],
  flags: { kind: { ...KIND, description: "Kind of the snippet. Default: text." }, ...COMMON },
  examples: [
    ["crier snippets create Signature 'Made in London.'", "A text."],
    ["crier snippets create Engines '#engines #history' --kind hashtags", "A set of hashtags."],
  ],
  async run(args, shell) {
    const [name = "", typed] = args.positionals;
    const text = (await readText(typed, undefined, shell)) ?? "";
    const client = await signedIn(args, shell);
    const { body } = await client.call("snippets.create", {
      body: { name, text, kind: readKind(args.get("kind")) ?? "text" },
    });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Created ${oneLine(body.name)} (${body.id}).`);
    return 0;
  },
});

const change = command({
  name: "change",
  summary: "Change a snippet. Posts that contain its text stay as they are.",
  positionals: [SNIPPET],
  flags: {
    name: { type: "string", value: "NAME", description: "New name." },
    text: { type: "string", value: "TEXT", description: "New text. `-` reads it from stdin." },
    kind: { ...KIND, description: "New kind." },
    ...COMMON,
  },
  examples: [["crier snippets change snip_01… --text 'Made in Paris.'", "The name and kind stay."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const name = args.get("name");
    const kind = readKind(args.get("kind"));
    const text = await readText(args.get("text"), undefined, shell);
    if (name === undefined && text === undefined && kind === undefined) {
      throw usage("There is nothing to change.", "use --name, --text or --kind");
    }
    const client = await signedIn(args, shell);
    const { body } = await client.call("snippets.change", {
      params: { id },
      body: {
        ...(name === undefined ? {} : { name }),
        ...(text === undefined ? {} : { text }),
        ...(kind === undefined ? {} : { kind }),
      },
    });
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`Changed ${oneLine(body.name)} (${body.id}).`);
    return 0;
  },
});

const remove = makeDeletion({
  summary: "Delete a snippet.",
  positional: SNIPPET,
  examples: [["crier snippets delete snip_01…", "crier snippets lists them."]],
  remove: (client, id) => client.call("snippets.remove", { params: { id } }),
});

export const snippets = command({
  name: "snippets",
  summary: "List the texts and hashtags to insert into posts.",
  flags: { kind: { ...KIND, description: "Filter by kind." }, ...COMMON },
  commands: [create, change, remove],
  examples: [["crier snippets --kind hashtags", "List the sets of hashtags, newest first."]],
  async run(args, shell) {
    const { out } = shell;
    const kind = args.get("kind");
    const client = await signedIn(args, shell);
    const { items } = await allPages(async (cursor) => {
      const { body } = await client.call("snippets.list", { query: { limit: "200", cursor, kind } });
      return { items: body.snippets, next: body.next };
    });
    if (args.has("json")) writeJson(out, { snippets: items, next: null });
    else if (items.length === 0) {
      out.line(
        kind === undefined
          ? "There are no snippets. Create one: crier snippets create NAME TEXT"
          : "There are no snippets of this kind.",
      );
    } else {
      writeTable(out, items, [
        { title: "name", of: ({ name }) => oneLine(name), least: 12 },
        { title: "kind", of: (snippet) => snippet.kind },
        { title: "text", of: ({ text }) => oneLine(text), least: 12 },
        { title: "id", of: ({ id }) => id },
      ]);
    }
    return 0;
  },
});
