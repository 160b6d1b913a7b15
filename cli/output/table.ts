// Tables that fit the terminal: first the widest columns shrink, then rows become blocks.
import { cut, hanging, measureWidth, type Output, oneLine, padded, wrapped } from "./terminal.ts";

export interface Column<Row> {
  title: string;
  of(row: Row): string;
  align?: "right";
  /** The minimum width when it shrinks; absent: it never shrinks. */
  least?: number;
  /** It shrinks by wrapping its cells instead of cutting them. */
  folds?: true;
  paint?(cell: string, row: Row): string;
}

const GAP = 2;

/** The lines of a table, at most `width` columns wide unless a single word is wider. */
export function tableLines<Row>(rows: Row[], columns: Column<Row>[], { width, paint }: TableStyle): string[] {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.of(row))));
  const used = columns.map((_, i) => i).filter((i) => cells.some((row) => row[i] !== ""));
  const widths = new Map(
    used.map((i) => [
      i,
      Math.max(measureWidth(columns[i]?.title ?? ""), ...cells.map((row) => measureWidth(row[i] ?? ""))),
    ]),
  );
  const total = () => [...widths.values()].reduce((sum, columnWidth) => sum + columnWidth + GAP, -GAP);
  while (total() > width) {
    const [widest] = used
      .filter((i) => (widths.get(i) ?? 0) > (columns[i]?.least ?? Number.POSITIVE_INFINITY))
      .sort((a, b) => (widths.get(b) ?? 0) - (widths.get(a) ?? 0));
    if (widest === undefined) return blocks(rows, columns, { width, paint });
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
  }
  const lines = (texts: string[], finish: (cell: string, column: Column<Row>) => string) => {
    const folded = used.map((i) => {
      const size = widths.get(i) ?? 0;
      return columns[i]?.folds === true ? wrapped(texts[i] ?? "", size) : [cut(texts[i] ?? "", size)];
    });
    const height = Math.max(...folded.map(({ length }) => length));
    return Array.from({ length: height }, (_, n) =>
      used
        .flatMap((i, position) => {
          const column = columns[i];
          if (column === undefined) return [];
          return [finish(padded(folded[position]?.[n] ?? "", widths.get(i) ?? 0, column.align), column)];
        })
        .join(" ".repeat(GAP))
        .trimEnd(),
    );
  };
  const head = lines(
    columns.map(({ title }) => title),
    (cell) => paint("dim", cell),
  );
  const body = rows.flatMap((row, n) =>
    lines(cells[n] ?? [], (cell, { paint: columnPaint }) => columnPaint?.(cell, row) ?? cell),
  );
  return [...head, ...body];
}

export type TableStyle = { width: number; paint: Output["paint"] };

/** A block of `title  value` lines for each row. */
function blocks<Row>(rows: Row[], columns: Column<Row>[], style: TableStyle): string[] {
  return rows.flatMap((row, n) => {
    const facts = columns.flatMap((column): [string, string][] => {
      const cell = oneLine(column.of(row));
      return cell === "" ? [] : [[column.title, cell]];
    });
    return [...(n === 0 ? [] : [""]), ...factLines(facts, style)];
  });
}

/** Named values, one below the other. */
function factLines(facts: [string, string][], { width, paint }: TableStyle): string[] {
  const size = Math.max(0, ...facts.map(([name]) => measureWidth(name)));
  return facts.flatMap(([name, value]) =>
    hanging(padded(name, size + GAP), value, width).map((line, i) =>
      i === 0 ? paint("dim", line.slice(0, name.length)) + line.slice(name.length) : line,
    ),
  );
}

/** Writes a table as wide as the output allows. */
export function writeTable<Row>(output: Output, rows: Row[], columns: Column<Row>[]): void {
  for (const line of tableLines(rows, columns, { width: output.width(), paint: output.paint })) output.line(line);
}

/** Writes named values as wide as the output allows, without those that are null. */
export function writeFacts(output: Output, facts: [string, string | null][]): void {
  const presentFacts = facts.filter((fact): fact is [string, string] => fact[1] !== null);
  for (const line of factLines(presentFacts, { width: output.width(), paint: output.paint })) output.line(line);
}
