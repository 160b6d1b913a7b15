/** Any JSON value, both in transit and stored. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON with sorted keys, so that equal values have the same spelling (fingerprints, comparisons). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}

/**
 * Finds a text that cannot be passed on exactly, because it has a NUL or half of a surrogate pair, which UTF-8 cannot encode.
 * Returns the path of the first such name or text, or null.
 */
export function unwritable(value: unknown): string[] | null {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0") ? null : [];
  if (value === null || typeof value !== "object") return null;
  for (const [name, member] of Object.entries(value)) {
    const below = unwritable(name) === null ? unwritable(member) : [];
    if (below !== null) return [name, ...below];
  }
  return null;
}
