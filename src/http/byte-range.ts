export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * The part of a file of `bytes` bytes that a `Range` header requests (RFC 9110, section 14). Returns null for the whole file:
 * if there is no header, if it is invalid, or if it has several ranges.
 */
export function readRange(header: string | undefined, bytes: number): ByteRange | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const offset = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  if (offset >= bytes) return "unsatisfiable";
  const end = first === "" || last === "" ? bytes : Math.min(bytes, Number(last) + 1);
  return { offset, length: end - offset };
}
