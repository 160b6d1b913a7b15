import { open, rename, rm } from "node:fs/promises";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { bytesText, count } from "../output/format.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn } from "../session.ts";
import { FILTERS, readFilters } from "./posts.ts";

const OF_TABLE = [
  "status",
  "from",
  "to",
  "channel",
  "platform",
  "label",
  "author",
  "q",
  "order",
  "escape-formulas",
] as const;

export const exportAll = command({
  name: "export",
  summary: "Export the whole workspace as JSON lines, or its posts as CSV.",
  details:
    "Without FILE, the export goes to stdout. FILE is replaced only when the export is complete. If it is interrupted, an earlier " +
    "FILE stays as it was and the exit code is 1. crier import reads the JSON lines.",
  positionals: [{ name: "file", description: "File to write." }],
  flags: {
    csv: { type: "boolean", description: "Export only posts, as CSV with one row per delivery." },
    ...FILTERS,
    "escape-formulas": {
      type: "boolean",
      description: "Put a ' before each cell that a spreadsheet would read as a formula.",
    },
    ...COMMON,
  },
  examples: [
    ["crier export workspace.ndjson", "Export everything. The last line confirms that the file is complete."],
    ["crier export --csv --from 2026-12-01 december.csv", "Export posts due from that day on, for a spreadsheet."],
  ],
  async run(args, shell) {
    const { out, err } = shell;
    const isTable = args.has("csv");
    const strange = OF_TABLE.find((flag) => args.has(flag));
    if (!isTable && strange !== undefined)
      throw usage(`--${strange} can be used only with --csv.`, "crier export --help");
    const client = await signedIn(args, shell);
    const pieces = isTable
      ? client.stream("posts.csv", {
          query: { ...(await readFilters(args, client)), escape_formulas: `${args.has("escape-formulas")}` },
        })
      : client.stream("workspaces.export");
    const path = args.positionals[0];
    if (path === undefined) {
      for await (const piece of out.isTerminal ? splitLines(pieces) : pieces) {
        if (out.isTerminal) out.line(piece);
        else out.write(piece);
      }
      return 0;
    }
    const { lines, bytes } = await writeWhole(path, pieces);
    err.line(`${oneLine(path)}: ${count(lines, "line")}, ${bytesText(bytes)}.`);
    return 0;
  },
});

/** The lines of a text without terminal control characters. */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let remainder = "";
  for await (const piece of pieces) {
    const lines = (remainder + piece).split(/\r?\n/);
    remainder = lines.pop() ?? "";
    yield* lines;
  }
}

/** Writes to a temporary file and renames it once it is complete. */
async function writeWhole(path: string, pieces: AsyncIterable<string>): Promise<{ lines: number; bytes: number }> {
  const partialPath = `${path}.part`;
  let [lines, bytes] = [0, 0];
  const file = await open(partialPath, "w").catch((error: Error) => {
    throw usage(`${oneLine(path)} cannot be written: ${error.message}`);
  });
  try {
    for await (const piece of pieces) {
      await file.writeFile(piece);
      lines += piece.split("\n").length - 1;
      bytes += Buffer.byteLength(piece);
    }
    await file.close();
    await rename(partialPath, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(partialPath, { force: true });
    throw error;
  }
  return { lines, bytes };
}
