// The lines of a file that is imported, as the service counts them.

/** A line, as any system ends it. */
const LINE = /\r\n|\r|\n/;

interface Row {
  line: number;
  valid: boolean;
}

/** The line on which a row begins, for a person to know it by. */
export const beginningOf = (file: string, line: number): string => file.split(LINE)[line - 1] ?? "";

/**
 * The file without the rows that are valid: its header and what must be mended. A row of a CSV file goes on until the next
 * one begins; a row of JSON is one line.
 */
export function refusedOnly(file: string, rows: readonly Row[], isCsv: boolean): string {
  const lines = file.split(LINE);
  const gone = new Set<number>();
  rows.forEach(({ line, valid }, i) => {
    if (!valid) return;
    const next = isCsv ? (rows[i + 1]?.line ?? lines.length + 1) : line + 1;
    for (let at = line; at < next; at++) gone.add(at);
  });
  const kept = lines.filter((_, i) => !gone.has(i + 1));
  return `${kept.join("\n").trimEnd()}\n`;
}

/** The text of a file, without guessing how it is written. null: it is not UTF-8. */
export function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
