// Values of rows in a backup, each exactly as in the database: JSON null, number and string where these are exact, otherwise
// a tagged text.

export type Value = null | number | string | { int: string } | { real: string } | { blob: string };

/** Selects a column as a text whose first letter names the type, because JSON would round large integers. */
export const selectEncoded = (column: string): string =>
  `CASE typeof(${column}) WHEN 'text' THEN 't' || ${column} WHEN 'integer' THEN 'i' || ${column}
    WHEN 'real' THEN 'r' || format('%!.17g', ${column}) WHEN 'blob' THEN 'x' || hex(${column}) END`;

/** The value of such a text. */
export function decodeValue(encoded: unknown): Value {
  if (encoded === null) return null;
  const text = String(encoded);
  const value = text.slice(1);
  switch (text[0]) {
    case "t":
      return value;
    case "i":
      return Number.isSafeInteger(Number(value)) ? Number(value) : { int: value };
    case "r":
      return { real: value };
    case "x":
      return { blob: value };
    default:
      throw new Error(`A value of an unknown type: ${text.slice(0, 20)}`);
  }
}

/** Whether SQLite's JSON functions return the value exactly; they may cut a text at a NUL. */
export const isPlain = (value: Value): boolean =>
  value === null || typeof value === "number" || (typeof value === "string" && !value.includes("\0"));

/** The SQL expression that produces the value from the parameter `n`, which is bound as a text. */
export function bindExpression(value: Value, n: number): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `?${n}`;
  if (typeof value === "number" || "int" in value) return `CAST(?${n} AS INTEGER)`;
  return "real" in value ? `CAST(?${n} AS REAL)` : `unhex(?${n})`;
}

/** The text to bind for it. */
export function bindText(value: Value): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if ("int" in value) return value.int;
  return "real" in value ? value.real : value.blob;
}
