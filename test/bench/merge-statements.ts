import type { StatementUse } from "./meters.ts";

/** The cost of each statement over several readings of the meters, by SQL. */
export function mergeStatements(readings: Record<string, StatementUse>[]): [string, StatementUse][] {
  const sums = new Map<string, StatementUse>();
  for (const [sql, use] of readings.flatMap((reading) => Object.entries(reading))) {
    const sum = sums.get(sql) ?? { count: 0, rowsRead: 0, rowsWritten: 0 };
    sum.count += use.count;
    sum.rowsRead += use.rowsRead;
    sum.rowsWritten += use.rowsWritten;
    sums.set(sql, sum);
  }
  return [...sums];
}
