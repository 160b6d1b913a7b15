// A spreadsheet: a header of known columns, and a post a row.
import { readCsv } from "../../../adapters/csv.ts";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { kindOfAddress } from "../../../domain/media/kind-of-address.ts";
import { hintOfUnknown } from "../../../domain/nearest-name.ts";
import { refuse, type Violation, violation } from "../../../domain/refusal.ts";
import type { ImportFile, ImportRow, NamedFile } from "./row.ts";

const COLUMNS = [
  ...["text", "channels", "publish_at", "media_urls", "alt", "labels"],
  ...["external_id", "media", "draft", "post_type"],
];
const LISTS = ["channels", "labels", "media"];

/** The column of a CSV file that a field of a row's post stands in. */
export function columnOf({ body: { media }, files }: ImportRow, field: string | undefined): string | undefined {
  const [, name = "", place] = field?.split("/") ?? [];
  if (name === "metadata" || name === "external_id") return "external_id";
  if (name === "media" && place !== undefined) {
    const file = Array.isArray(media) ? media[Number(place)] : undefined;
    return typeof file === "string" && files.has(file) ? "media_urls" : "media";
  }
  return COLUMNS.includes(name) ? name : undefined;
}

/** The posts of a CSV text. Throws `malformed_file` or `unknown_field`. */
export function readCsvFile(text: string): ImportFile {
  const read = readCsv(text);
  if ("brokenAt" in read) {
    throw refuse("malformed_file", {
      message: `Line ${read.brokenAt}: a quote is not closed, or something stands between it and the next column.`,
      hint: "A quote inside a cell is written twice.",
    });
  }
  const [header, ...rows] = read;
  if (header === undefined) throw refuse("malformed_file", { message: "The file is empty." });
  const names = header.cells.map((name) => name.trim().toLowerCase());
  for (const [i, name] of names.entries()) {
    if (!COLUMNS.includes(name)) {
      throw refuse("unknown_field", {
        field: `/${name}`,
        message: `Line ${header.line}: unknown column \`${name}\`.`,
        hint: `${hintOfUnknown(name, COLUMNS)} Columns: ${COLUMNS.join(", ")}.`,
      });
    }
    if (names.indexOf(name) < i) throw refuse("malformed_file", { message: `The column \`${name}\` is there twice.` });
  }
  return { isCsv: true, rows: rows.map(({ line, cells }) => rowOf(line, names, cells)), channelNames: new Map() };
}

function rowOf(line: number, names: string[], cells: string[]): ImportRow {
  const cell = new Map(names.map((name, i) => [name, cells[i] ?? ""]));
  const listIn = (name: string) => (cell.get(name) ?? "").split("|").flatMap((one) => one.trim() || []);
  const broken: Violation[] = [];
  if (cells.slice(names.length).some((more) => more.trim() !== "")) {
    const message = `The row has ${cells.length} columns, and the header ${names.length}.`;
    broken.push(violation("invalid_field", { message, hint: "A text with a comma or a line break stands in quotes." }));
  }
  const { files, found } = filesOf(listIn("media_urls"), cell.get("alt") ?? "");
  broken.push(...found);
  const values: [string, Json][] = [...cell]
    .filter(([name, value]) => value.trim() !== "" && !["media_urls", "alt", "external_id"].includes(name))
    .map(([name, value]) => [name, LISTS.includes(name) ? listIn(name) : name === "text" ? value : value.trim()]);
  const body: JsonObject = Object.fromEntries(values);
  const draft = cell.get("draft")?.trim().toLowerCase();
  if (draft === "true" || draft === "false") body.draft = draft === "true";
  if (files.size > 0) body.media = [...listIn("media"), ...files.keys()];
  const externalId = cell.get("external_id")?.trim() || null;
  if (externalId !== null) body.metadata = { external_id: externalId };
  return { line, externalId, body, files, broken };
}

/** The files of a row by their addresses, with a description for each, or with one for the only one. */
function filesOf(urls: string[], alt: string): { files: Map<string, NamedFile>; found: Violation[] } {
  const alts = urls.length === 1 ? [alt] : alt.split("|");
  const found: Violation[] = [];
  if (alt.trim() !== "" && alts.length !== urls.length) {
    const message = `There are ${alts.length} descriptions for ${urls.length} files.`;
    found.push(violation("invalid_field", { field: "/alt", message, hint: "Divide them by `|`, one for each file." }));
  }
  const files = urls.map((url): [string, NamedFile] => {
    const kind = kindOfAddress(url);
    if (kind === null) {
      const hint = "Register it with `POST /v1/media`, and name its id in the column `media`.";
      const message = `Its address does not say what ${url} is.`;
      found.push(violation("media_format_not_allowed", { field: "/media_urls", message, hint }));
    }
    return [url, { url, kind: kind ?? "image", alt: alts[urls.indexOf(url)]?.trim() || null }];
  });
  return { files: new Map(files), found };
}
