// Reads the first elements of a WebM file (RFC 8794 and RFC 9559).
import { type FileFacts, NO_FACTS } from "./file-facts.ts";

const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  flagEnabled: 0xb9,
  trackType: 0x83,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  projection: 0x7670,
  projectionPoseRoll: 0x7675,
};
/** How many elements are read inside another element. */
const CHILDREN_MAX = 100;
const TYPE_VIDEO = 1;
/** Nanoseconds per unit of time, if the file names none. */
const TIMESTAMP_SCALE = 1_000_000;

interface Element {
  id: number;
  content: number;
  /** Infinity if unknown: it ends where the file does. */
  end: number;
}

/** The facts from the beginning of a file, unchecked. Elements that reach beyond `head` are not read. */
export function webmFacts(head: Uint8Array): FileFacts {
  const [type, segment] = elements(head, 0, head.byteLength);
  if (type?.id !== ID.ebml || segment?.id !== ID.segment || asText(head, child(head, type, "docType")) !== "webm") {
    return NO_FACTS;
  }
  const info = child(head, segment, "info");
  const duration = asFloat(head, child(head, info, "duration"));
  const scale = asNumber(head, child(head, info, "timestampScale")) ?? TIMESTAMP_SCALE;
  const seconds = duration === null ? null : (duration * scale) / 1e9;
  const tracks = child(head, segment, "tracks");
  for (const track of tracks === null ? [] : elements(head, tracks.content, tracks.end)) {
    const size = track.id === ID.trackEntry ? trackSize(head, track) : null;
    if (size !== null) return { ...size, seconds };
  }
  return { ...NO_FACTS, seconds };
}

/** The displayed size of a track in pixels; null if it has no pictures, or is switched off. */
function trackSize(head: Uint8Array, track: Element): { width: number; height: number } | null {
  if (asNumber(head, child(head, track, "trackType")) !== TYPE_VIDEO) return null;
  if (asNumber(head, child(head, track, "flagEnabled")) === 0) return null;
  const video = child(head, track, "video");
  let width = asNumber(head, child(head, video, "pixelWidth"));
  let height = asNumber(head, child(head, video, "pixelHeight"));
  if (width === null || height === null) return null;

  // The displayed size in any unit: only the ratio of width to height matters.
  const across = (asNumber(head, child(head, video, "displayWidth")) ?? 0) * height;
  const down = (asNumber(head, child(head, video, "displayHeight")) ?? 0) * width;
  if (across > down && down > 0) width = Math.round((width * across) / down);
  if (down > across && across > 0) height = Math.round((height * down) / across);

  const roll = asFloat(head, child(head, child(head, video, "projection"), "projectionPoseRoll")) ?? 0;
  return Math.abs(roll % 180) === 90 ? { width: height, height: width } : { width, height };
}

/** The element whose header is at `offset`; null if there is no valid header. */
function elementAt(bytes: Uint8Array, offset: number): Element | null {
  const number = (from: number, lengthMax: number, keepMarker: boolean) => {
    const first = bytes[from] ?? 0;
    // The number of leading zeros gives the number of bytes that follow.
    const length = Math.clz32(first) - 23;
    if (length > lengthMax || from + length > bytes.byteLength) return null;
    let value = keepMarker ? first : first & (0xff >> length);
    for (const byte of bytes.subarray(from + 1, from + length)) value = value * 256 + byte;
    return { value, length };
  };
  const id = number(offset, 4, true);
  const size = id && number(offset + id.length, 8, false);
  if (id === null || size === null) return null;
  const content = offset + id.length + size.length;
  const isKnown = size.value !== 2 ** (7 * size.length) - 1;
  return { id: id.value, content, end: isKnown ? content + size.value : Infinity };
}

/** The first elements in `bytes` between `from` and `to`. The last element may extend beyond `to`. */
function* elements(bytes: Uint8Array, from: number, to: number): Generator<Element> {
  for (
    let offset = from, elementCount = 0;
    offset < Math.min(to, bytes.byteLength) && elementCount < CHILDREN_MAX;
    elementCount++
  ) {
    const element = elementAt(bytes, offset);
    if (element === null) return;
    yield element;
    offset = element.end;
  }
}

/** The first element of a name in `parent`; null if it is missing or reaches beyond `parent`. */
function child(bytes: Uint8Array, parent: Element | null, name: keyof typeof ID): Element | null {
  if (parent === null) return null;
  for (const element of elements(bytes, parent.content, parent.end)) {
    if (element.id === ID[name]) return element.end > Math.min(parent.end, bytes.byteLength) ? null : element;
  }
  return null;
}

function asNumber(bytes: Uint8Array, element: Element | null): number | null {
  if (element === null || element.end - element.content > 8) return null;
  return bytes.subarray(element.content, element.end).reduce((value, byte) => value * 256 + byte, 0);
}

function asFloat(bytes: Uint8Array, element: Element | null): number | null {
  if (element === null) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + element.content, element.end - element.content);
  if (view.byteLength === 4) return view.getFloat32(0);
  return view.byteLength === 8 ? view.getFloat64(0) : null;
}

/** Zeros may follow the text. */
function asText(bytes: Uint8Array, element: Element | null): string | null {
  if (element === null) return null;
  return String.fromCharCode(...bytes.subarray(element.content, element.end)).replace(/\0+$/, "");
}
