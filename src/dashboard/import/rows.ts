// The lines of an imported file, counted as the service counts them.

/** A line with any system's line ending. */
const LINE = /\r\n|\r|\n/;

interface Row {
  line: number;
  valid: boolean;
}

/** The line on which a row begins, so that a person can find it. */
export const getLine = (file: string, line: number): string => file.split(LINE)[line - 1] ?? "";

/**
 * The file without its valid rows: the header and the rows to fix. A row of a CSV file extends to the start of the next; a
 * row of JSON is one line.
 */
export function refusedOnly(file: string, rows: readonly Row[], isCsv: boolean): string {
  const lines = file.split(LINE);
  const removedLines = new Set<number>();
  rows.forEach(({ line, valid }, i) => {
    if (!valid) return;
    const next = isCsv ? (rows[i + 1]?.line ?? lines.length + 1) : line + 1;
    for (let lineNumber = line; lineNumber < next; lineNumber++) removedLines.add(lineNumber);
  });
  const keptLines = lines.filter((_, i) => !removedLines.has(i + 1));
  return `${keptLines.join("\n").trimEnd()}\n`;
}

/** Decodes a file as UTF-8, without guessing. null: it is not UTF-8. */
export function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
