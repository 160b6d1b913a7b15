// Reads a spreadsheet: a header of known columns, and a post per row.
import { type CsvRow, readCsv } from "../../../adapters/csv.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { IMPORT_ROWS_MAX, MEDIA_PER_POST_MAX } from "../../../domain/limits.ts";
import { kindOfAddress } from "../../../domain/media/kind-of-address.ts";
import { hintOfUnknown } from "../../../domain/nearest-name.ts";
import { IMPORT_COLUMNS, readCellKind } from "../../../domain/posts/import-columns.ts";
import { refuse, type Violation, violation } from "../../../domain/refusal.ts";
import type { ImportFile, ImportRow, NamedFile } from "./row.ts";

/** Characters of a cell that a refusal repeats. */
const SHOWN_MAX = 100;

/** The CSV column that holds a field of a row's post. */
export function findColumn({ body: { media }, files }: ImportRow, field: string | undefined): string | undefined {
  const [, name = "", place] = field?.split("/") ?? [];
  if (name === "metadata" || name === "external_id") return "external_id";
  if (name === "media" && place !== undefined) {
    const file = Array.isArray(media) ? media[Number(place)] : undefined;
    return typeof file === "string" && files.has(file) ? "media_urls" : "media";
  }
  return IMPORT_COLUMNS.includes(name) ? name : undefined;
}

/** The posts of a CSV text. Throws `malformed_file`, `unknown_field` or `too_many_rows`. */
export function readCsvFile(text: string): ImportFile {
  // The header, the rows that a file may have, and one more row, which shows that there are too many.
  const read = readCsv(text, IMPORT_ROWS_MAX + 2);
  if ("brokenAt" in read) {
    throw refuse("malformed_file", {
      message: `Line ${read.brokenAt}: a quote is not closed, or something stands between it and the next column.`,
      hint: "A quote inside a cell is written twice.",
    });
  }
  const [header, ...rows] = read;
  if (header === undefined) throw refuse("malformed_file", { message: "The file is empty." });
  const names = readColumns(header);
  if (rows.length > IMPORT_ROWS_MAX) throw refuse("too_many_rows");
  return { isCsv: true, rows: rows.map(({ line, cells }) => toImportRow(line, names, cells)), channelNames: new Map() };
}

/** Reads the column names. Throws `unknown_field`, or `malformed_file` for a duplicate name. */
function readColumns(header: CsvRow): string[] {
  const names = new Set<string>();
  for (const cell of header.cells) {
    const name = cell.trim().toLowerCase();
    if (!IMPORT_COLUMNS.includes(name)) {
      const shortName = name.slice(0, SHOWN_MAX);
      throw refuse("unknown_field", {
        field: `/${shortName}`,
        message: `Line ${header.line}: unknown column \`${shortName}\`.`,
        hint: `${hintOfUnknown(name, IMPORT_COLUMNS)} Columns: ${IMPORT_COLUMNS.join(", ")}.`,
      });
    }
    if (names.has(name)) throw refuse("malformed_file", { message: `The column \`${name}\` is there twice.` });
    names.add(name);
  }
  return [...names];
}

function toImportRow(line: number, names: string[], cells: string[]): ImportRow {
  const cell = new Map(names.map((name, i) => [name, cells[i] ?? ""]));
  const listIn = (name: string) => (cell.get(name) ?? "").split("|").flatMap((item) => item.trim() || []);
  const broken: Violation[] = [];
  if (cells.slice(names.length).some((extraCell) => extraCell.trim() !== "")) {
    const message = `The row has ${cells.length} columns, and the header ${names.length}.`;
    broken.push(violation("invalid_field", { message, hint: "A text with a comma or a line break stands in quotes." }));
  }
  const { files, found } = readFiles(listIn("media_urls"), cell.get("alt") ?? "");
  broken.push(...found);
  const values: [string, Json][] = [...cell]
    .filter(([name, value]) => value.trim() !== "" && !["media_urls", "alt", "external_id"].includes(name))
    .map(([name, value]) => {
      const holds = readCellKind(name);
      return [name, holds === "list" ? listIn(name) : holds === "text" ? value : value.trim()];
    });
  const body: JsonObject = Object.fromEntries(values);
  const draft = cell.get("draft")?.trim().toLowerCase();
  if (draft === "true" || draft === "false") body.draft = draft === "true";
  if (files.size > 0) body.media = [...listIn("media"), ...files.keys()];
  const externalId = cell.get("external_id")?.trim() || null;
  if (externalId !== null) body.metadata = { external_id: externalId };
  return { line, externalId, body, files, broken };
}

/** The files of a row by their addresses, each with its description, or with one description for a single file. */
function readFiles(urls: string[], alt: string): { files: Map<string, NamedFile>; found: Violation[] } {
  const files = new Map<string, NamedFile>();
  if (urls.length > MEDIA_PER_POST_MAX) {
    const message = `There are ${urls.length} addresses, and a post has at most ${MEDIA_PER_POST_MAX} files.`;
    return { files, found: [violation("invalid_field", { field: "/media_urls", message })] };
  }
  const alts = urls.length === 1 ? [alt] : alt.split("|");
  const violations: Violation[] = [];
  if (alt.trim() !== "" && alts.length !== urls.length) {
    const message = `There are ${alts.length} descriptions for ${urls.length} files.`;
    violations.push(
      violation("invalid_field", { field: "/alt", message, hint: "Divide them by `|`, one for each file." }),
    );
  }
  for (const [i, url] of urls.entries()) {
    // A repeated address is the same file.
    if (files.has(url)) continue;
    const kind = kindOfAddress(url);
    if (kind === null) {
      const hint = "Register it with `POST /v1/media`, and name its id in the column `media`.";
      const message = `Its address does not say what ${url.slice(0, SHOWN_MAX)} is.`;
      violations.push(violation("media_format_not_allowed", { field: "/media_urls", message, hint }));
    }
    files.set(url, { url, kind: kind ?? "image", alt: alts[i]?.trim() || null });
  }
  return { files, found: violations };
}
