// What a file's own headers say of it. Only parts of the file are read: its first bytes, and where a video's headers lie.
import { imageSize } from "image-size";
import { looksLike, uploadType } from "./types.ts";

/** Enough of a file to find an image's size behind embedded profiles and thumbnails. */
export const HEAD_BYTES = 256 * 1024;

/** What the headers say; null where they do not. */
export interface FileFacts {
  /** Pixels as shown: turned as the file says. */
  width: number | null;
  height: number | null;
  seconds: number | null;
}

export const NO_FACTS: FileFacts = { width: null, height: null, seconds: null };

/** Reads `length` bytes from `offset` on, both inside the file. Fewer bytes mean that this part cannot be had. */
export type ReadPart = (offset: number, length: number) => Promise<Uint8Array>;

/**
 * The facts of a file of `bytes` bytes; null when its first bytes are not those of `contentType`. Headers that cannot be
 * understood are no error, their facts are null. Throws only what `read` throws.
 */
export async function inspectMedia(contentType: string, bytes: number, read: ReadPart): Promise<FileFacts | null> {
  const head = await read(0, Math.min(HEAD_BYTES, bytes));
  if (!looksLike(contentType, head)) return null;
  if (uploadType(contentType)?.kind === "image") return imageFacts(head);
  // Loaded when the first video comes: it is the largest part of the worker.
  const { videoFacts } = await import("./inspect-video.ts");
  return videoFacts(head, bytes, read);
}

function imageFacts(head: Uint8Array): FileFacts {
  try {
    const { width, height, orientation = 1 } = imageSize(head);
    if (width <= 0 || height <= 0) return NO_FACTS;
    // From 5 on, EXIF turns the picture on its side.
    return { ...NO_FACTS, ...(orientation >= 5 ? { width: height, height: width } : { width, height }) };
  } catch {
    return NO_FACTS;
  }
}
