// The cells of a CSV file, to fix them in place. Rows are counted as the service counts them.

interface Row {
  line: number;
}

const LINE = /\r\n|\r|\n/;
const DELIMITERS = [",", ";", "\t"];

/** The cells of one row. A quoted cell may contain the delimiter and line breaks; a quote in it is doubled. */
export function splitCells(row: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let i = 0; i < row.length; i++) {
    const letter = row[i] ?? "";
    if (isQuoted && letter === '"' && row[i + 1] === '"') {
      cell += '"';
      i++;
    } else if (letter === '"' && (isQuoted || cell === "")) isQuoted = !isQuoted;
    else if (letter === delimiter && !isQuoted) {
      cells.push(cell);
      cell = "";
    } else cell += letter;
  }
  return [...cells, cell];
}

const quote = (cell: string, delimiter: string) =>
  cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** The delimiter that occurs most often in the first line. */
function findDelimiter(file: string): string {
  const [header = ""] = file.split(LINE, 1);
  const count = (delimiter: string) => header.split(delimiter).length;
  return DELIMITERS.toSorted((first, second) => count(second) - count(first))[0] ?? ",";
}

interface Sheet {
  lines: string[];
  delimiter: string;
  header: string[];
}
function openSheet(file: string): Sheet {
  const delimiter = findDelimiter(file);
  const lines = file.split(LINE);
  const header = splitCells(lines[0] ?? "", delimiter).map((name) => name.replace(/^\uFEFF/, "").trim());
  return { lines, delimiter, header };
}

/** The values of a row by column, in the order of the header. */
function readCells({ lines, delimiter, header }: Sheet, begin: number, end: number): Map<string, string> {
  const cells = splitCells(
    lines
      .slice(begin - 1, end - 1)
      .join("\n")
      .trimEnd(),
    delimiter,
  );
  return new Map(header.map((name, i) => [name, cells[i] ?? ""]));
}

/** The values of the rows that are not valid, by the row's position. */
export function readBroken(
  file: string,
  rows: readonly (Row & { valid: boolean })[],
): Map<number, Map<string, string>> {
  const sheet = openSheet(file);
  const end = sheet.lines.length + 1;
  return new Map(
    rows.flatMap(({ line, valid }, i) =>
      valid ? [] : [[i, readCells(sheet, line, rows[i + 1]?.line ?? end)] as const],
    ),
  );
}

/** New values of cells, by the row's position and the column. */
export type Fixes = ReadonlyMap<number, Readonly<Record<string, string>>>;

/** The file with the new values. The cells of other rows stay as they are. */
export function applyFixes(file: string, rows: readonly Row[], fixes: Fixes): string {
  const sheet = openSheet(file);
  const { lines, delimiter } = sheet;
  const parts = [lines.slice(0, (rows[0]?.line ?? 1) - 1).join("\n")];
  rows.forEach(({ line }, i) => {
    const next = rows[i + 1]?.line ?? lines.length + 1;
    const changes = fixes.get(i);
    parts.push(
      changes === undefined
        ? lines.slice(line - 1, next - 1).join("\n")
        : [...readCells(sheet, line, next)]
            .map(([name, value]) => quote(changes[name] ?? value, delimiter))
            .join(delimiter),
    );
  });
  return `${parts.join("\n").trimEnd()}\n`;
}
