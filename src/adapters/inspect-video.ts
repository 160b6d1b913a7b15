// The size and length of a video, from the boxes of MP4 and MOV and the elements of WebM that tell them.
import { BufferSource, Input, Logging, LogLevel, MP4, QTFF, WEBM } from "mediabunny";
import { type FileFacts, NO_FACTS, type ReadPart } from "./inspect-media.ts";

// It would log what it finds in other people's files.
Logging.level = LogLevel.Silent;

/** Bytes of the largest movie box that is read: it grows with the number of frames, and this holds about two hours. */
const MOVIE_BYTES_MAX = 4 * 1024 * 1024;
/** Boxes that are looked at before the movie box is given up. */
const BOXES_MAX = 32;
/** Enough for the header of any box. */
const BOX_HEADER_BYTES = 16;
/** Read ahead where a box begins, so that a short movie box at the end comes with its header. */
const AHEAD_BYTES = 64 * 1024;

/**
 * The facts of a video of `bytes` bytes that begins with `head`. Where the headers lie, and how large they are, is the
 * file's own word: what is read stays below five MiB whatever it says.
 */
export async function videoFacts(head: Uint8Array, bytes: number, read: ReadPart): Promise<FileFacts> {
  const isBoxes = boxAt(head, 0)?.type === "ftyp";
  const movie = isBoxes ? await movieBox(head, bytes, read) : null;
  if (isBoxes && movie === null) return NO_FACTS;
  try {
    // A WebM file names its length and tracks before its pictures.
    const size = await trackFacts(movie === null ? head : joined(fileType(head), movie));
    return { ...size.shown, seconds: sane(movie === null ? size.seconds : movieSeconds(movie)) };
  } catch {
    return NO_FACTS;
  }
}

async function trackFacts(headers: Uint8Array) {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source: new BufferSource(headers) });
  const [track] = await input.getVideoTracks();
  const width = track === undefined ? 0 : Math.round(await track.getDisplayWidth());
  const height = track === undefined ? 0 : Math.round(await track.getDisplayHeight());
  const shown = width > 0 && height > 0 ? { width, height } : { width: null, height: null };
  const isWebm = (await input.getFormat()) === WEBM;
  return { shown, seconds: isWebm ? await input.getDurationFromMetadata() : null };
}

interface Box {
  type: string;
  at: number;
  /** Where its content begins and ends, counted as `at` is. */
  content: number;
  end: number;
}

/** The box whose header stands at `index` of `part`; null when that is no header. `at` is where the part begins. */
function boxAt(part: Uint8Array, index: number, at = 0): Box | null {
  if (part.byteLength - index < 8) return null;
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  const type = String.fromCharCode(...part.subarray(index + 4, index + 8));
  const short = view.getUint32(index);
  const header = short === 1 ? 16 : 8;
  if (part.byteLength - index < header) return null;
  const size = short === 1 ? Number(view.getBigUint64(index + 8)) : short;
  // A box of size 0 reaches to the end of the file: nothing that is looked for comes behind it.
  return size < header ? null : { type, at: at + index, content: at + index + header, end: at + index + size };
}

/** The whole movie box, which stands before the pictures or behind them. */
async function movieBox(head: Uint8Array, bytes: number, read: ReadPart): Promise<Uint8Array | null> {
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
    if (box.type === "moov") {
      const { end } = box;
      if (end > bytes || end - at > MOVIE_BYTES_MAX) return null;
      if (!holds(at, end)) await fill(at, end - at);
      return holds(at, end) ? part.subarray(at - begin, end - begin) : null;
    }
    at = box.end;
  }
  return null;
}

/** The boxes that stand in `part` from `from` to `to`. */
function* boxes(part: Uint8Array, from: number, to: number): Generator<Box> {
  for (let at = from; at < to; ) {
    const box = boxAt(part, at);
    if (box === null || box.end > to) return;
    yield box;
    at = box.end;
  }
}

/**
 * The length that the movie as a whole names, its edits applied. The library computes a track's from the tables of its
 * frames, whose counts are the file's own word and would be followed into any memory.
 */
function movieSeconds(movie: Uint8Array): number | null {
  const view = new DataView(movie.buffer, movie.byteOffset, movie.byteLength);
  const whole = boxAt(movie, 0);
  if (whole === null) return null;
  const children = [...boxes(movie, whole.content, movie.byteLength)];
  const header = children.find(({ type }) => type === "mvhd");
  if (header === undefined) return null;
  // Version 1 has 64 bits for what has 32 in version 0. All bits set: not known.
  const number = (long: boolean, at: number) => {
    const [value, unknown] = long
      ? [view.getBigUint64(at), 0xffff_ffff_ffff_ffffn]
      : [BigInt(view.getUint32(at)), 0xffff_ffffn];
    return value === unknown ? 0 : Number(value);
  };
  const long = view.getUint8(header.content) === 1;
  const timescale = view.getUint32(header.content + (long ? 20 : 12));
  const duration = number(long, header.content + (long ? 24 : 16));
  if (duration > 0) return duration / timescale;
  // A movie in fragments has its length beside them.
  const extends_ = children.find(({ type }) => type === "mvex");
  const [fragments] = extends_ === undefined ? [] : [...boxes(movie, extends_.content, extends_.end)];
  if (fragments?.type !== "mehd") return null;
  return number(view.getUint8(fragments.content) === 1, fragments.content + 4) / timescale;
}

/** Seconds to the millisecond; null for what no video lasts. */
function sane(seconds: number | null): number | null {
  const milliseconds = Math.round((seconds ?? 0) * 1000);
  return Number.isSafeInteger(milliseconds) && milliseconds > 0 ? milliseconds / 1000 : null;
}

function fileType(head: Uint8Array): Uint8Array {
  const box = boxAt(head, 0);
  return head.subarray(0, box === null ? 0 : box.end);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.byteLength + other.byteLength);
  both.set(one);
  both.set(other, one.byteLength);
  return both;
}
