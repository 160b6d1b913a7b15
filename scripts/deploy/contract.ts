// Migrations that remove something, one release after the last code that reads it.

/** The first line of such a migration. The version is the first that no longer reads the removed columns or tables. */
const CONTRACT = /^-- Contract: unused since (\d+)\.(\d+)\.(\d+)\.(?:\n|$)/;

/** The version that must have been deployed before; null: the migration removes nothing. */
export function unusedSince(sql: string): string | null {
  return CONTRACT.exec(sql)?.slice(1).join(".") ?? null;
}

/** Whether `version`, with or without a suffix, is `wanted` or later. */
export function isAtLeast(version: string, minimum: string): boolean {
  const numbers = (text: string) => (text.split(/[-+]/)[0] ?? "").split(".").map(Number);
  const [versionNumbers, minimumNumbers] = [numbers(version), numbers(minimum)];
  const index = minimumNumbers.findIndex((number, i) => number !== (versionNumbers[i] ?? 0));
  return index === -1 || (versionNumbers[index] ?? 0) > (minimumNumbers[index] ?? 0);
}
