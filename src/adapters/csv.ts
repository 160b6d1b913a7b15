// CSV as spreadsheets write it: commas, semicolons or tabs, quoted cells with line breaks, either line ending, a byte order
// mark.
import { csv2json, json2csv } from "csv42";

export interface CsvRow {
  /** The line of the file on which the row begins; the first is 1. */
  line: number;
  cells: string[];
}
/** The line of a quote that is never closed, or whose closing quote is followed by text. */
export interface BrokenCsv {
  brokenAt: number;
}

const DELIMITERS = [",", ";", "\t"];

/** Thrown to stop the parser, which offers no other way to end early. */
class EnoughRows extends Error {}

/** The non-empty rows of a CSV text. Reading stops after `rowsMax` rows, however long the text is. */
export function readCsv(file: string, rowsMax = Number.POSITIVE_INFINITY): CsvRow[] | BrokenCsv {
  const text = file.replace(/^\ufeff/, "").replace(/\r(?!\n)/g, "\n");
  const delimiter = detectDelimiter(text);
  const splitter = new RowSplitter(text, delimiter);
  try {
    csv2json(text, {
      header: false,
      delimiter,
      fields: [],
      parseValue(value, isQuoted) {
        splitter.add(value, isQuoted);
        if (splitter.brokenAt !== null || splitter.rows.length >= rowsMax) throw new EnoughRows();
        return value;
      },
    });
  } catch (error) {
    if (!(error instanceof EnoughRows)) return { brokenAt: text.split("\n").length };
  }
  return splitter.brokenAt === null ? splitter.rows : { brokenAt: splitter.brokenAt };
}

/** Splits cells into rows: each cell is followed by a delimiter, the end of a line, or the end of the text. */
class RowSplitter {
  readonly rows: CsvRow[] = [];
  /** The line on which text follows a closing quote. */
  brokenAt: number | null = null;
  readonly #text: string;
  readonly #delimiter: string;
  #offset = 0;
  #line = 1;
  #row: CsvRow | null = null;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
  }

  /** Takes the next cell of the text. */
  add(value: string, isQuoted: boolean): void {
    if (this.#row === null) this.#skipEmptyLines();
    this.#row ??= { line: this.#line, cells: [] };
    const row = this.#row;
    row.cells.push(value);
    this.#line += countCharacter("\n", value);
    this.#offset += isQuoted ? value.length + countCharacter('"', value) + 2 : value.length;
    const isAtEnd = () => this.#lineEnd() > 0 || this.#offset >= this.#text.length;
    if (this.#text[this.#offset] === this.#delimiter) {
      this.#offset++;
      if (!isAtEnd()) return;
      row.cells.push("");
    } else if (!isAtEnd()) {
      this.brokenAt = this.#line;
      return;
    }
    if (row.cells.some((cell) => cell.trim() !== "")) this.rows.push(row);
    this.#offset += this.#lineEnd();
    this.#line++;
    this.#row = null;
  }

  #skipEmptyLines(): void {
    for (let end = this.#lineEnd(); end > 0; end = this.#lineEnd()) {
      this.#offset += end;
      this.#line++;
    }
  }

  /** The length of the line ending at this position; 0 if no line ends here. */
  #lineEnd(): number {
    if (this.#text[this.#offset] === "\n") return 1;
    return this.#text.startsWith("\r\n", this.#offset) ? 2 : 0;
  }
}

const countCharacter = (character: string, text: string) => text.split(character).length - 1;

/** The delimiter that occurs most often in the first line. */
function detectDelimiter(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const times = (delimiter: string) => first.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => (times(delimiter) > times(best) ? delimiter : best));
}

/** Characters that a spreadsheet reads as the start of a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

/** Escapes a cell that a spreadsheet would read as a formula. */
export const escapeFormula = (value: string | null): string | null =>
  value !== null && FORMULA.test(value) ? `'${value}` : value;

/** Rows as CSV (RFC 4180), with the names of the columns before them unless `header` is false; null is an empty cell. */
export function writeCsv(
  columns: readonly string[],
  rows: (string | null)[][],
  { header = true }: { header?: boolean } = {},
): string {
  return json2csv(rows, { header, fields: columns.map((name, i) => ({ name, getValue: (row) => row[i] })) });
}
