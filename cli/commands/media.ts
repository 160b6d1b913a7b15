import { MEDIA_KINDS } from "../../src/domain/posts/platform-rule.ts";
import { type Answer, allPages } from "../api/client.ts";
import { type Arguments, command } from "../command.ts";
import { makeDeletion } from "../deletion.ts";
import { usage } from "../failure.ts";
import { inspectFile } from "../files.ts";
import { bytesText, relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

type Media = Answer<"media.get">;

const FILE = { name: "media", description: "Id of the file: med_01…", required: true } as const;
const DESCRIPTION_FLAGS = {
  alt: { type: "string", value: "TEXT", description: "Alt text; '' removes it." },
  name: { type: "string", value: "NAME", description: "Name in the library." },
  tag: { type: "string", value: "TAG", multiple: true, description: "Tag to find it by. May be repeated." },
  keep: { type: "boolean", description: "Keep it until it is deleted, not only until its posts are published." },
} as const;

const upload = command({
  name: "upload",
  summary: "Upload a file to the library: an image, a video, a document, or captions of a video.",
  positionals: [{ name: "path", description: "The file.", required: true }],
  flags: { ...DESCRIPTION_FLAGS, ...COMMON },
  examples: [
    ["crier media upload clip.srt", "Print the id, for an option: --set CHANNEL.captions=med_01…"],
    ["crier media upload logo.png --keep --tag brand", "Keep a file for later posts."],
  ],
  async run(args, shell) {
    const { out, err, signal } = shell;
    const [path = ""] = args.positionals;
    const { alt = null, ...description } = readDescription(args);
    const file = { ...(await inspectFile(path, alt)), ...description };
    const client = await signedIn(args, shell);
    const [id = ""] = await (await import("../api/upload.ts")).uploadAll(client, [file], err, signal);
    if (args.has("json")) writeJson(out, (await client.call("media.get", { params: { id } })).body);
    else out.line(id);
    return 0;
  },
});

const change = command({
  name: "change",
  summary: "Change a file's alt text, name or tags, or how long it is kept.",
  positionals: [FILE],
  flags: {
    ...DESCRIPTION_FLAGS,
    release: { type: "boolean", description: "Keep it no longer than its posts need it." },
    ...COMMON,
  },
  examples: [
    ["crier media change med_01… --alt 'A cat on a table'", "Describe it."],
    ["crier media change med_01… --keep", "Keep it until it is deleted."],
  ],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    if (args.has("keep") && args.has("release")) throw usage("--keep and --release cannot be used together.");
    const body = { ...readDescription(args), ...(args.has("release") ? { keep: false } : {}) };
    if (Object.keys(body).length === 0) throw usage("There is nothing to change.", "crier media change --help");
    const client = await signedIn(args, shell);
    const { body: media } = await client.call("media.describe", { params: { id }, body });
    if (args.has("json")) writeJson(shell.out, media);
    else shell.out.line(`Changed ${nameOf(media)} (${media.id}).`);
    return 0;
  },
});

const remove = makeDeletion({
  summary: "Delete a file. A file that a post uses is kept.",
  positional: FILE,
  examples: [["crier media delete med_01…", "crier media lists the files."]],
  remove: (client, id) => client.call("media.remove", { params: { id } }),
});

export const media = command({
  name: "media",
  summary: "List the files of the library, newest first.",
  flags: {
    search: { type: "string", value: "WORDS", description: "Files with these words in name, tags or alt text." },
    tag: { type: "string", value: "TAG", description: "Files with this tag." },
    kind: { type: "string", value: "KIND", options: MEDIA_KINDS, description: `Kind: ${MEDIA_KINDS.join(", ")}.` },
    ...COMMON,
  },
  commands: [upload, change, remove],
  examples: [
    ["crier media --search engine", "Find files."],
    ["crier media --kind document", "Documents and captions are listed only by their kind."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const kind = MEDIA_KINDS.find((name) => name === args.get("kind"));
    const filter = { q: args.get("search"), tag: args.get("tag"), kind };
    const client = await signedIn(args, shell);
    const { items } = await allPages(async (cursor) => {
      const { body } = await client.call("media.list", { query: { ...filter, limit: "200", cursor } });
      return { items: body.media, next: body.next };
    });
    if (args.has("json")) writeJson(out, { media: items, next: null });
    else if (items.length === 0) out.line("No files were found. Add one: crier media upload PATH");
    else {
      writeTable(out, items, [
        { title: "name", of: nameOf, least: 12 },
        { title: "kind", of: ({ kind }) => kind },
        { title: "size", of: ({ bytes }) => (bytes === null ? "" : bytesText(bytes)), align: "right" },
        { title: "added", of: ({ created_at: createdAt }) => relativeText(Date.parse(createdAt), client.now()) },
        { title: "kept", of: ({ keep }) => (keep ? "yes" : "") },
        { title: "tags", of: ({ tags }) => oneLine(tags.join(", ")), least: 8 },
        { title: "id", of: ({ id }) => id },
      ]);
    }
    return 0;
  },
});

const nameOf = ({ name, url }: Media): string => oneLine(name ?? url);

/** What the flags say of a file; a field is absent without its flag. */
function readDescription(args: Arguments<keyof typeof DESCRIPTION_FLAGS>) {
  const alt = args.get("alt");
  const name = args.get("name");
  const tags = args.getAll("tag");
  return {
    ...(alt === undefined ? {} : { alt: alt || null }),
    ...(name === undefined ? {} : { name }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(args.has("keep") ? { keep: true } : {}),
  };
}
