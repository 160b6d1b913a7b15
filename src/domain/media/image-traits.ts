// Two facts that decide whether and how an image can be converted: whether it is animated, and whether parts of it are
// transparent. Both are stored near the beginning of a file, before its pixels.
import { hasAlphaPicture } from "./heic.ts";
import { HEIC } from "./types.ts";

export interface ImageTraits {
  /** The image has more than one picture. A conversion would keep only the first. */
  isAnimated: boolean;
  /** Some pixels may be transparent. */
  hasAlpha: boolean;
}

const STILL: ImageTraits = { isAnimated: false, hasAlpha: false };

/**
 * Reads the traits from the first bytes of an image. `isWhole`: `head` is the whole file. A GIF whose first picture is longer
 * than `head` counts as animated, because a second picture would follow.
 */
export function readImageTraits(contentType: string, head: Uint8Array, isWhole: boolean): ImageTraits {
  try {
    if (contentType === "image/png") return readPng(head);
    if (contentType === "image/webp") return readWebp(head);
    if (contentType === HEIC) return { ...STILL, hasAlpha: hasAlphaPicture(head) };
    if (contentType === "image/gif") return readGif(head, isWhole);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return STILL;
}

const readView = (head: Uint8Array) => new DataView(head.buffer, head.byteOffset, head.byteLength);
const readName = (head: Uint8Array, offset: number) => String.fromCharCode(...head.subarray(offset, offset + 4));

/** PNG, third edition: `acTL`, which comes before `IDAT`, makes it an animation; `tRNS` makes colours transparent. */
function readPng(head: Uint8Array): ImageTraits {
  const view = readView(head);
  const colourType = view.getUint8(25);
  let traits = { ...STILL, hasAlpha: colourType === 4 || colourType === 6 };
  for (let offset = 8; offset + 8 <= head.byteLength; offset += 12 + view.getUint32(offset)) {
    const name = readName(head, offset + 4);
    if (name === "IDAT") break;
    if (name === "acTL") traits = { ...traits, isAnimated: true };
    if (name === "tRNS") traits = { ...traits, hasAlpha: true };
  }
  return traits;
}

/** RFC 9649: the flags of `VP8X`, or bit 28 after the signature of a lossless picture. */
function readWebp(head: Uint8Array): ImageTraits {
  const name = readName(head, 12);
  const view = readView(head);
  if (name === "VP8X") {
    const flags = view.getUint8(20);
    return { isAnimated: (flags & 0x02) !== 0, hasAlpha: (flags & 0x10) !== 0 };
  }
  return { ...STILL, hasAlpha: name === "VP8L" && (view.getUint32(21, true) & (1 << 28)) !== 0 };
}

/** Walks the blocks of a GIF (GIF89a specification) up to its second picture or its end. */
function readGif(head: Uint8Array, isWhole: boolean): ImageTraits {
  const view = readView(head);
  const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1));
  const skipBlocks = (start: number) => {
    let offset = start;
    for (let length = view.getUint8(offset); length > 0; length = view.getUint8(offset)) offset += length + 1;
    return offset + 1;
  };
  let pictures = 0;
  let hasAlpha = false;
  try {
    for (let offset = 13 + tableBytes(view.getUint8(10)); pictures < 2; ) {
      const block = view.getUint8(offset);
      if (block === 0x21) {
        // A graphic control extension says whether one colour is transparent.
        if (view.getUint8(offset + 1) === 0xf9) hasAlpha ||= (view.getUint8(offset + 3) & 0x01) !== 0;
        offset = skipBlocks(offset + 2);
      } else if (block === 0x2c) {
        pictures += 1;
        offset = skipBlocks(offset + 10 + tableBytes(view.getUint8(offset + 9)) + 1);
      } else break;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { isAnimated: pictures > 1 || !isWhole, hasAlpha };
  }
  return { isAnimated: pictures > 1, hasAlpha };
}
