// The chunks of a file that is uploaded in chunks. All but the last have the same length.
import { UPLOAD_CHUNK_BYTES } from "../limits.ts";

export const countChunks = (fileBytes: number): number => Math.ceil(fileBytes / UPLOAD_CHUNK_BYTES);

/** The length of the chunk `number`, from 1; null if the file has no such chunk. */
export function chunkLength(fileBytes: number, number: number): number | null {
  const length = Math.min(UPLOAD_CHUNK_BYTES, fileBytes - (number - 1) * UPLOAD_CHUNK_BYTES);
  return number >= 1 && length > 0 ? length : null;
}

/** Whether these are the numbers of all chunks of a file, each once. */
export function areAllChunks(fileBytes: number, numbers: readonly number[]): boolean {
  const count = countChunks(fileBytes);
  return numbers.length === count && new Set(numbers).size === count && numbers.every((number) => number <= count);
}
