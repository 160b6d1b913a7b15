// Files that are uploaded in chunks.
import { type MediaFile, MediaUnavailable } from "../media-file.ts";

/** Whether a file can be read in chunks: a third-party host may only serve it whole. */
export async function opensInChunks(file: MediaFile): Promise<boolean> {
  try {
    await (await file.open({ offset: 0, length: 1 })).cancel();
    return true;
  } catch (error) {
    if (error instanceof MediaUnavailable) return false;
    throw error;
  }
}

/**
 * `length` bytes of a file from `offset`. Throws `MediaUnavailable`. A file that can only be read whole is opened from its
 * beginning, and the bytes before `offset` are discarded.
 */
export async function openChunk(file: MediaFile, offset: number, length: number): Promise<ReadableStream<Uint8Array>> {
  if (offset === 0 && length === file.bytes) return file.open();
  try {
    return await file.open({ offset, length });
  } catch (error) {
    if (!(error instanceof MediaUnavailable) || error.retry) throw error;
    return cut(await file.open(), offset, length);
  }
}

function cut(whole: ReadableStream<Uint8Array>, offset: number, length: number): ReadableStream<Uint8Array> {
  const reader = whole.getReader();
  let position = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const piece = value.subarray(Math.max(0, offset - position), Math.max(0, offset + length - position));
        position += value.byteLength;
        if (piece.byteLength > 0) controller.enqueue(piece);
        if (position >= offset + length) {
          await reader.cancel();
          return controller.close();
        }
        if (piece.byteLength > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
