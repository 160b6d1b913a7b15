// CSV as spreadsheets write it: commas, semicolons or tabs, quoted cells with line breaks, either line end, a mark of byte order.
import { csv2json, json2csv } from "csv42";

export interface CsvRow {
  /** The line of the file on which it begins; the first is 1. */
  line: number;
  cells: string[];
}
/** The line of a quote that is not closed, or that something follows. */
export interface BrokenCsv {
  brokenAt: number;
}

const DELIMITERS = [",", ";", "\t"];

/** The rows of a CSV text that are not empty. */
export function readCsv(file: string): CsvRow[] | BrokenCsv {
  const text = file.replace(/^\ufeff/, "").replace(/\r(?!\n)/g, "\n");
  const delimiter = delimiterOf(text);
  const seen: { value: string; length: number }[] = [];
  try {
    csv2json(text, {
      header: false,
      delimiter,
      fields: [],
      parseValue: (value, isQuoted) => {
        seen.push({ value, length: isQuoted ? value.length + value.split('"').length + 1 : value.length });
        return value;
      },
    });
  } catch {
    return { brokenAt: text.split("\n").length };
  }
  return rowsOf(text, delimiter, seen);
}

/** The cells in their rows: behind each stands a delimiter, the end of a line, or the end of the text. */
function rowsOf(text: string, delimiter: string, cells: { value: string; length: number }[]): CsvRow[] | BrokenCsv {
  const rows: CsvRow[] = [];
  let [place, line] = [0, 1];
  let row: CsvRow | null = null;
  const lineEnd = () => (text[place] === "\n" ? 1 : text.startsWith("\r\n", place) ? 2 : 0);
  for (const { value, length } of cells) {
    for (let end = lineEnd(); row === null && end > 0; end = lineEnd()) {
      place += end;
      line++;
    }
    row ??= { line, cells: [] };
    row.cells.push(value);
    line += value.split("\n").length - 1;
    place += length;
    if (text[place] === delimiter) {
      place++;
      if (lineEnd() === 0 && place < text.length) continue;
      row.cells.push("");
    } else if (lineEnd() === 0 && place < text.length) return { brokenAt: line };
    if (row.cells.some((cell) => cell.trim() !== "")) rows.push(row);
    place += lineEnd();
    line++;
    row = null;
  }
  return rows;
}

/** The one that stands most often in the first line. */
function delimiterOf(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const times = (one: string) => first.split(one).length;
  return DELIMITERS.reduce((best, one) => (times(one) > times(best) ? one : best));
}

/** Rows as CSV (RFC 4180), with the names of the columns before them unless `header` is false; null is an empty cell. */
export function writeCsv(
  columns: readonly string[],
  rows: (string | null)[][],
  { header = true }: { header?: boolean } = {},
): string {
  return json2csv(rows, { header, fields: columns.map((name, i) => ({ name, getValue: (row) => row[i] })) });
}
