// The size and length of a video, from the boxes of MP4 and MOV and the elements of WebM that tell them.
import { BufferSource, Input, Logging, LogLevel, MP4, QTFF, WEBM } from "mediabunny";
import { type FileFacts, NO_FACTS, type ReadPart } from "./file-facts.ts";

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
 * file's own word: what is read stays below seven MiB whatever it says. The library is handed the headers alone, because
 * junk between the parts of a file makes it search without end, and tables of frames make it count to any number.
 */
export async function videoFacts(head: Uint8Array, bytes: number, read: ReadPart): Promise<FileFacts> {
  const first = boxAt(head, 0);
  const movie = first?.type === "ftyp" ? await movieBox(head, bytes, read) : null;
  try {
    if (first?.type !== "ftyp") return await trackFacts(webmHeaders(head), (input) => input.getDurationFromMetadata());
    if (movie === null) return NO_FACTS;
    return await trackFacts(joined(head.subarray(0, first.end), movie), async () => movieSeconds(movie));
  } catch {
    return NO_FACTS;
  }
}

async function trackFacts(
  headers: Uint8Array,
  secondsOf: (input: Input) => Promise<number | null>,
): Promise<FileFacts> {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source: new BufferSource(headers) });
  const seconds = sane(await secondsOf(input));
  const [track] = await input.getVideoTracks();
  if (track === undefined) return { ...NO_FACTS, seconds };
  const width = Math.round(await track.getDisplayWidth());
  const height = Math.round(await track.getDisplayHeight());
  return width > 0 && height > 0 ? { width, height, seconds } : { ...NO_FACTS, seconds };
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
  const child = (wanted: string) => firstOf(boxes(movie, whole.content, whole.end), ({ type }) => type === wanted);
  const header = child("mvhd");
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
  const inFragments = child("mvex");
  const fragments =
    inFragments && firstOf(boxes(movie, inFragments.content, inFragments.end), ({ type }) => type === "mehd");
  if (fragments === undefined) return null;
  return number(view.getUint8(fragments.content) === 1, fragments.content + 4) / timescale;
}

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;

interface Element {
  id: number;
  at: number;
  content: number;
  /** Infinity: not known, it ends where the file does. */
  end: number;
}

/** The element of WebM (RFC 8794) whose header stands at `at`. */
function elementAt(part: Uint8Array, at: number): Element | null {
  const number = (from: number, lengthMax: number, keepMarker: boolean) => {
    const first = part[from] ?? 0;
    // The zeros before the first one tell how many bytes follow.
    const length = Math.clz32(first) - 23;
    if (length > lengthMax || from + length > part.byteLength) return null;
    let value = keepMarker ? first : first & (0xff >> length);
    for (const byte of part.subarray(from + 1, from + length)) value = value * 256 + byte;
    return { value, length };
  };
  const id = number(at, 4, true);
  const size = id && number(at + id.length, 8, false);
  if (id === null || size === null) return null;
  const content = at + id.length + size.length;
  const isKnown = size.value !== 2 ** (7 * size.length) - 1;
  return { id: id.value, at, content, end: isKnown ? content + size.value : Infinity };
}

function* elements(part: Uint8Array, from: number): Generator<Element> {
  for (let at = from; at < part.byteLength; ) {
    const element = elementAt(part, at);
    if (element === null) return;
    yield element;
    at = element.end;
  }
}

/** A WebM file that has nothing but the general facts and the tracks of the one that begins with `head`. */
function webmHeaders(head: Uint8Array): Uint8Array {
  const [type, segment] = elements(head, 0);
  if (type?.id !== EBML || segment?.id !== SEGMENT) throw new Error("not the elements of a WebM file");
  const [info, tracks] = [INFO, TRACKS].map((wanted) => {
    const found = firstOf(elements(head, segment.content), ({ id }) => id === wanted);
    return found === undefined || found.end > head.byteLength ? new Uint8Array() : head.subarray(found.at, found.end);
  });
  const content = joined(info ?? new Uint8Array(), tracks ?? new Uint8Array());
  const segmentHeader = new DataView(new ArrayBuffer(12));
  segmentHeader.setUint32(0, SEGMENT);
  // The marker of a number in eight bytes.
  segmentHeader.setUint32(4, 0x0100_0000);
  segmentHeader.setUint32(8, content.byteLength);
  return joined(joined(head.subarray(0, type.end), new Uint8Array(segmentHeader.buffer)), content);
}

/** The first that passes; what comes behind it is not looked at. Node 20 has no such method of iterators. */
function firstOf<Item>(items: Iterable<Item>, passes: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (passes(item)) return item;
  return undefined;
}

/** Seconds to the millisecond; null for what no video lasts. */
function sane(seconds: number | null): number | null {
  const milliseconds = Math.round((seconds ?? 0) * 1000);
  return Number.isSafeInteger(milliseconds) && milliseconds > 0 ? milliseconds / 1000 : null;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.byteLength + other.byteLength);
  both.set(one);
  both.set(other, one.byteLength);
  return both;
}
