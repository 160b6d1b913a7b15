import type { ValidRow } from "./judge.ts";

/**
 * The limits of a transaction: posts, and characters of their rows. The rows are one parameter, which has at most 2 MB
 * (developers.cloudflare.com/d1/platform/limits, read 2026-11-24) and also holds each text's words, escaped.
 */
const ROWS_MAX = 250;
const CHARACTERS_MAX = 400_000;

/** Splits the rows of an import into those that are written together, in their order. */
export function splitIntoBatches<Row extends ValidRow>(rows: readonly Row[]): Row[][] {
  const batches: Row[][] = [];
  let length = 0;
  for (const row of rows) {
    const rowLength = JSON.stringify(row.row.body).length;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === ROWS_MAX || length + rowLength > CHARACTERS_MAX) {
      batches.push([row]);
      length = rowLength;
    } else {
      batch.push(row);
      length += rowLength;
    }
  }
  return batches;
}
