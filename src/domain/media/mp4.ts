// Reads the movie box of MP4 (ISO/IEC 14496-12) and MOV (QuickTime File Format).
import { type Box, boxAt, boxes, child, findBox, readTopBox, toDataView } from "./boxes.ts";
import type { FileFacts, ReadRange } from "./file-facts.ts";

/** Size of the largest movie box that is read: it grows with the number of frames, and this is enough for about two hours. */
const MOVIE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The whole movie box of a file of `bytes` bytes that begins with `head`. The box is before or after the
 * media data. At most seven MiB are read, even if the file claims a larger box.
 */
export function movieBox(head: Uint8Array, bytes: number, read: ReadRange): Promise<Uint8Array | null> {
  return readTopBox("moov", MOVIE_BYTES_MAX, { head, bytes, read });
}

/** The facts from a movie box, unchecked. Throws a RangeError if the box ends too soon. */
export function movieFacts(movie: Uint8Array): FileFacts {
  const whole = boxAt(movie, 0);
  const header = whole && child(movie, whole, "mvhd");
  if (!whole || !header) return { width: null, height: null, seconds: null };
  const seconds = movieSeconds(movie, whole, header);
  for (const track of boxes(movie, whole.content, whole.end)) {
    const size = track.type === "trak" ? trackSize(movie, header, track) : null;
    if (size !== null) return { ...size, seconds };
  }
  return { width: null, height: null, seconds };
}

/** Whether a box uses 64-bit times, which have 32 bits in version 0. */
function isLong(view: DataView, box: Box): boolean {
  return view.getUint8(box.content) === 1;
}

/** The duration that the movie's header states, with edits applied. The tables of frames are not read: they could have any size. */
function movieSeconds(movie: Uint8Array, whole: Box, header: Box): number | null {
  const view = toDataView(movie);
  // All bits set means unknown.
  const number = (long: boolean, offset: number) => {
    const [value, unknown] = long
      ? [view.getBigUint64(offset), 0xffff_ffff_ffff_ffffn]
      : [BigInt(view.getUint32(offset)), 0xffff_ffffn];
    return value === unknown ? 0 : Number(value);
  };
  const long = isLong(view, header);
  const timescale = view.getUint32(header.content + (long ? 20 : 12));
  const duration = number(long, header.content + (long ? 24 : 16));
  if (duration > 0) return duration / timescale;
  // A fragmented movie stores its length in a separate box.
  const fragments = child(movie, whole, "mvex", "mehd");
  return fragments && number(isLong(view, fragments), fragments.content + 4) / timescale;
}

/** The displayed size of a track in pixels; null if it has no pictures. */
function trackSize(movie: Uint8Array, movieHeader: Box, track: Box): { width: number; height: number } | null {
  const view = toDataView(movie);
  const header = child(movie, track, "tkhd");
  const handler = child(movie, track, "mdia", "hdlr");
  const descriptions = child(movie, track, "mdia", "minf", "stbl", "stsd");
  if (header === null || handler === null || descriptions === null) return null;
  const kind = String.fromCharCode(...movie.subarray(handler.content + 8, handler.content + 12));
  const [picture] = boxes(movie, descriptions.content + 8, descriptions.end);
  if (kind !== "vide" || picture === undefined) return null;

  let width = view.getUint16(picture.content + 24);
  let height = view.getUint16(picture.content + 26);
  const aspect = findBox(boxes(movie, picture.content + 78, picture.end), "pasp");
  const [across, down] =
    aspect === null ? [1, 1] : [view.getUint32(aspect.content), view.getUint32(aspect.content + 4)];
  if (across > down && down > 0) width = Math.round((width * across) / down);
  if (down > across && across > 0) height = Math.round((height * down) / across);

  const [a, b] = matrixAt(view, header.content + (isLong(view, header) ? 52 : 40));
  const [c, d, e, f] = matrixAt(view, movieHeader.content + (isLong(view, movieHeader) ? 48 : 36));
  // The direction of the picture's upper edge: the track's matrix maps into the movie, the movie's matrix onto the screen.
  const isOnItsSide = Math.abs(a * d + b * f) > Math.abs(a * c + b * e);
  return isOnItsSide ? { width: height, height: width } : { width, height };
}

/** The part of a matrix that rotates and mirrors: its first two rows without the third column. */
function matrixAt(view: DataView, offset: number): [number, number, number, number] {
  return [view.getInt32(offset), view.getInt32(offset + 4), view.getInt32(offset + 12), view.getInt32(offset + 16)];
}
