// Reads the boxes of files of the ISO base media family (ISO/IEC 14496-12): videos in MP4 and MOV, photos in HEIC.
import type { ReadPart } from "./file-facts.ts";

/** Boxes that are read before the search for a box is given up. */
const BOXES_MAX = 32;
/** Boxes that are read inside another box: a movie has a few tracks, and a track a few boxes. */
const CHILDREN_MAX = 100;
/** Enough for the header of any box. */
const BOX_HEADER_BYTES = 16;
/** Bytes to read ahead at the start of a box, so that a short box at the end comes with its header. */
const AHEAD_BYTES = 64 * 1024;

export interface Box {
  type: string;
  at: number;
  /** Where its content begins and ends, in the same unit as `at`. */
  content: number;
  end: number;
}

/** Whether a file begins like the files of this family. */
export function hasBoxes(head: Uint8Array): boolean {
  return boxAt(head, 0)?.type === "ftyp";
}

/** The box whose header is at `index` of `part`; null if there is no valid header. `at` is where the part begins. */
export function boxAt(part: Uint8Array, index: number, at = 0): Box | null {
  if (part.byteLength - index < 8) return null;
  const view = viewOf(part);
  const type = String.fromCharCode(...part.subarray(index + 4, index + 8));
  const short = view.getUint32(index);
  const header = short === 1 ? 16 : 8;
  if (part.byteLength - index < header) return null;
  const size = short === 1 ? Number(view.getBigUint64(index + 8)) : short;
  // A box of size 0 reaches to the end of the file, so no box that we need can follow it.
  return size < header ? null : { type, at: at + index, content: at + index + header, end: at + index + size };
}

/** A file of `bytes` bytes that begins with `head`. */
export interface ReadFile {
  head: Uint8Array;
  bytes: number;
  read: ReadPart;
}

/** The whole first top-level box of a type; null if the file has none, or if it has more than `bytesMax` bytes. */
export async function readTopBox(
  type: string,
  bytesMax: number,
  { head, bytes, read }: ReadFile,
): Promise<Uint8Array | null> {
  let part = head;
  let begin = 0;
  const holds = (from: number, to: number) => from >= begin && to <= begin + part.byteLength;
  const fill = async (from: number, length: number) => {
    begin = from;
    part = await read(from, Math.min(length, bytes - from));
  };
  for (let seen = 0, at = 0; seen < BOXES_MAX && at < bytes; seen++) {
    if (!holds(at, Math.min(at + BOX_HEADER_BYTES, bytes))) await fill(at, AHEAD_BYTES);
    const box = boxAt(part, at - begin, begin);
    if (box === null) return null;
    if (box.type === type) {
      const { end } = box;
      if (end > bytes || end - at > bytesMax) return null;
      if (!holds(at, end)) await fill(at, end - at);
      return holds(at, end) ? part.subarray(at - begin, end - begin) : null;
    }
    at = box.end;
  }
  return null;
}

/** The first boxes in `part` between `from` and `to`. */
export function* boxes(part: Uint8Array, from: number, to: number, most = CHILDREN_MAX): Generator<Box> {
  for (let at = from, seen = 0; at < to && seen < most; seen++) {
    const box = boxAt(part, at);
    if (box === null || box.end > to) return;
    yield box;
    at = box.end;
  }
}

/** Follows a path of box types, taking the first box of each type inside the one before. */
export function child(part: Uint8Array, parent: Box, ...path: string[]): Box | null {
  let found: Box | null = parent;
  for (const type of path) {
    found = found && firstOf(boxes(part, found.content, found.end), type);
  }
  return found;
}

export function firstOf(found: Iterable<Box>, type: string): Box | null {
  for (const box of found) if (box.type === type) return box;
  return null;
}

export function viewOf(part: Uint8Array): DataView {
  return new DataView(part.buffer, part.byteOffset, part.byteLength);
}
