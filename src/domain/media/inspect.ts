// Reads a file's own headers. Only parts of the file are read: its first bytes, and the headers of a video.
import { imageSize } from "image-size";
import { type FileFacts, NO_FACTS, type ReadRange } from "./file-facts.ts";
import { heicFacts } from "./heic.ts";
import { videoFacts } from "./inspect-video.ts";
import { captionsType, documentType, HEIC, looksLike, uploadType } from "./types.ts";

export { type FileFacts, NO_FACTS, type ReadRange } from "./file-facts.ts";

/** Enough of a file to find an image's size behind embedded profiles and thumbnails. */
export const HEAD_BYTES = 256 * 1024;

/**
 * The facts of a file of `bytes` bytes; null if its first bytes do not match `contentType`. Headers that cannot be understood
 * are not an error; their facts are null. Throws only errors of `read`.
 */
export async function inspectMedia(contentType: string, bytes: number, read: ReadRange): Promise<FileFacts | null> {
  const head = await read(0, Math.min(HEAD_BYTES, bytes));
  if (!looksLike(contentType, head)) return null;
  if (documentType(contentType) !== null || captionsType(contentType) !== null) return NO_FACTS;
  if (contentType === HEIC) return heicFacts({ head, bytes, read });
  if (uploadType(contentType)?.kind === "image") return imageFacts(head);
  return videoFacts(head, bytes, read);
}

function imageFacts(head: Uint8Array): FileFacts {
  try {
    const { width, height, orientation = 1 } = imageSize(head);
    if (width <= 0 || height <= 0) return NO_FACTS;
    // EXIF orientations from 5 on turn the picture on its side.
    return { ...NO_FACTS, ...(orientation >= 5 ? { width: height, height: width } : { width, height }) };
  } catch {
    return NO_FACTS;
  }
}
