export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * The part of a file of `bytes` bytes that a `Range` header requests (RFC 9110, section 14). null: the whole file, as
 * without the header; also for an invalid header, and for one with several ranges.
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
