import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { Answer } from "../api/client.ts";
import { command } from "../command.ts";
import { EXIT, usage } from "../failure.ts";
import { splitImportFile } from "../import-parts.ts";
import { count, localText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, writeJson } from "../session.ts";

type Imported = Answer<"posts.import">;
type Row = Imported["rows"][number];

const TYPES: Record<string, "text/csv" | "application/x-ndjson"> = {
  ".csv": "text/csv",
  ".ndjson": "application/x-ndjson",
  ".jsonl": "application/x-ndjson",
};

export const importFile = command({
  name: "import",
  summary: "Create posts from a file: CSV, or one JSON object per line.",
  details:
    "All rows are checked first, and no post is created unless all are valid. Importing the same file again creates nothing twice and " +
    "continues where it was interrupted. A long file of JSON lines, such as an export, is sent in chunks.",
  positionals: [
    {
      name: "file",
      description: "A .ndjson or .jsonl file, or a .csv file of up to 500 posts and 1 MiB.",
      required: true,
    },
  ],
  flags: {
    "dry-run": { type: "boolean", description: "Check the rows without creating posts." },
    partial: { type: "boolean", description: "Create posts for the valid rows even if other rows are invalid." },
    "idempotency-key": {
      type: "string",
      value: "KEY",
      description: "Replaces the key derived from the file's content, to import the same file again as new posts.",
    },
    ...COMMON,
  },
  examples: [
    ["crier import december.csv --dry-run", "Show errors by line and column."],
    ["crier import december.csv", "Create all of its posts."],
  ],
  async run(args, shell) {
    const { out, err } = shell;
    const path = args.positionals[0] ?? "";
    const type = TYPES[extname(path).toLowerCase()];
    if (type === undefined) throw usage(`${oneLine(path)} is not a .csv, .ndjson or .jsonl file.`);
    const text = await read(path);
    const client = await signedIn(args, shell);
    const isDryRun = args.has("dry-run");
    const isPartial = args.has("partial");
    const key = args.get("idempotency-key") ?? `file:${createHash("sha256").update(text).digest("hex")}`;
    const parts = type === "text/csv" ? [{ text, lineOf: (line: number) => line }] : splitImportFile(text);
    const send = async (isDryRun: boolean): Promise<Imported> => {
      const result: Imported = { rows: [], valid: 0, invalid: 0, created: 0 };
      for (const [i, importPart] of parts.entries()) {
        const { body } = await client.call("posts.import", {
          query: { dry_run: `${isDryRun}`, partial: `${isPartial}` },
          body: { type, text: importPart.text },
          idempotencyKey: parts.length === 1 ? key : `${key}/${i + 1}`,
        });
        result.rows.push(...body.rows.map((row) => ({ ...row, line: importPart.lineOf(row.line) })));
        for (const name of ["valid", "invalid", "created"] as const) result[name] += body[name];
      }
      return result;
    };
    // If the file is split, all of its parts are validated before the first is imported.
    const dryRunResult = parts.length > 1 && !isDryRun && !isPartial ? await send(true) : null;
    const body = dryRunResult !== null && dryRunResult.invalid > 0 ? dryRunResult : await send(isDryRun);
    const { rows, valid, invalid, created } = body;
    if (args.has("json")) writeJson(out, body);
    else {
      const wrong = rows.flatMap((row) => row.violations.map((violation) => ({ ...violation, line: row.line })));
      if (wrong.length > 0) {
        writeTable(out, wrong, [
          { title: "line", of: ({ line }) => `${line}`, align: "right" },
          { title: "column", of: ({ column, field }) => oneLine(column ?? field ?? "") },
          {
            title: "",
            of: ({ message, hint }) => oneLine(hint === undefined ? message : `${message} ${hint}`),
            least: 30,
          },
        ]);
      } else if (created > 0) {
        writeTable(out, rows, [
          { title: "line", of: ({ line }) => `${line}`, align: "right" },
          { title: "due", of: formatDueTime },
          { title: "text", of: ({ post }) => oneLine(post?.text ?? ""), least: 12 },
          { title: "post", of: ({ post }) => post?.id ?? "" },
        ]);
      }
      err.line(
        `${count(valid, "row")} valid, ${invalid} invalid; ${count(created, "post")} created${isDryRun ? " (dry run)" : ""}.`,
      );
    }
    return invalid > 0 ? EXIT.refused : EXIT.done;
  },
});

const formatDueTime = ({ post }: Row) =>
  post?.due_at == null ? (post?.status ?? "") : localText(Date.parse(post.due_at), post.timezone);

async function read(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof TypeError) throw usage(`${oneLine(path)} is not UTF-8 text.`, "save it as CSV UTF-8");
    throw usage(`${oneLine(path)} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
