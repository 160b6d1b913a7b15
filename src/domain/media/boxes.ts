// Reads the boxes of files of the ISO base media family (ISO/IEC 14496-12): videos in MP4 and MOV, photos in HEIC.
import type { ReadRange } from "./file-facts.ts";

/** How many boxes are read before the search for a box gives up. */
const BOXES_MAX = 32;
/** How many boxes are read inside another box. This is ample: a movie has a few tracks, and a track has a few boxes. */
const CHILDREN_MAX = 100;
/** Enough for the header of any box. */
const BOX_HEADER_BYTES = 16;
/** How many bytes are read along with a box's header, so that a short box needs no second read. */
const AHEAD_BYTES = 64 * 1024;

export interface Box {
  type: string;
  /** Where the box begins. */
  at: number;
  /** Where its content begins and ends, counted from the same position as `at`. */
  content: number;
  end: number;
}

/** Whether a file begins like the files of this family. */
export function hasBoxes(head: Uint8Array): boolean {
  return boxAt(head, 0)?.type === "ftyp";
}

/**
 * Reads the box whose header is at `index` of `bytes`; null if there is no valid header. `baseOffset` is the position of
 * `bytes` in the file.
 */
export function boxAt(bytes: Uint8Array, index: number, baseOffset = 0): Box | null {
  if (bytes.byteLength - index < 8) return null;
  const view = toDataView(bytes);
  const type = String.fromCharCode(...bytes.subarray(index + 4, index + 8));
  const short = view.getUint32(index);
  const header = short === 1 ? 16 : 8;
  if (bytes.byteLength - index < header) return null;
  const size = short === 1 ? Number(view.getBigUint64(index + 8)) : short;
  // A box of size 0 reaches to the end of the file, so no box that we need can follow it.
  return size < header
    ? null
    : { type, at: baseOffset + index, content: baseOffset + index + header, end: baseOffset + index + size };
}

/** A file of `bytes` bytes that begins with `head`. */
export interface ReadFile {
  head: Uint8Array;
  bytes: number;
  read: ReadRange;
}

/** The whole first top-level box of a type; null if the file has none, or if it has more than `bytesMax` bytes. */
export async function readTopBox(
  type: string,
  bytesMax: number,
  { head, bytes, read }: ReadFile,
): Promise<Uint8Array | null> {
  let chunk = head;
  let begin = 0;
  const holds = (from: number, to: number) => from >= begin && to <= begin + chunk.byteLength;
  const fill = async (from: number, length: number) => {
    begin = from;
    chunk = await read(from, Math.min(length, bytes - from));
  };
  for (let boxCount = 0, offset = 0; boxCount < BOXES_MAX && offset < bytes; boxCount++) {
    if (!holds(offset, Math.min(offset + BOX_HEADER_BYTES, bytes))) await fill(offset, AHEAD_BYTES);
    const box = boxAt(chunk, offset - begin, begin);
    if (box === null) return null;
    if (box.type === type) {
      const { end } = box;
      if (end > bytes || end - offset > bytesMax) return null;
      if (!holds(offset, end)) await fill(offset, end - offset);
      return holds(offset, end) ? chunk.subarray(offset - begin, end - begin) : null;
    }
    offset = box.end;
  }
  return null;
}

/** The boxes in `bytes` between `from` and `to`, at most `most` of them. */
export function* boxes(bytes: Uint8Array, from: number, to: number, most = CHILDREN_MAX): Generator<Box> {
  for (let offset = from, boxCount = 0; offset < to && boxCount < most; boxCount++) {
    const box = boxAt(bytes, offset);
    if (box === null || box.end > to) return;
    yield box;
    offset = box.end;
  }
}

/** Follows a path of box types, taking the first box of each type inside the one before. */
export function child(bytes: Uint8Array, parent: Box, ...path: string[]): Box | null {
  let box: Box | null = parent;
  for (const type of path) {
    box = box && findBox(boxes(bytes, box.content, box.end), type);
  }
  return box;
}

export function findBox(siblings: Iterable<Box>, type: string): Box | null {
  for (const box of siblings) if (box.type === type) return box;
  return null;
}

export function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
