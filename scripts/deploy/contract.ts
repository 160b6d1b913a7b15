// Migrations that take something away, a release after nothing reads it any more.

/** The first line of such a migration. The version is the first in which nothing reads what goes. */
const CONTRACT = /^-- Contract: unused since (\d+)\.(\d+)\.(\d+)\.(?:\n|$)/;

/** The version that must have been deployed before; null: the migration only adds. */
export function unusedSince(sql: string): string | null {
  return CONTRACT.exec(sql)?.slice(1).join(".") ?? null;
}

/** Whether `version`, with or without what follows its numbers, is `wanted` or later. */
export function isAtLeast(version: string, wanted: string): boolean {
  const numbers = (text: string) => (text.split(/[-+]/)[0] ?? "").split(".").map(Number);
  const [own, other] = [numbers(version), numbers(wanted)];
  const at = other.findIndex((number, i) => number !== (own[i] ?? 0));
  return at === -1 || (own[at] ?? 0) > (other[at] ?? 0);
}
