// A stretch of a file. One that lies at somebody's address may only be had whole: then what is before it is read past.
import { type MediaFile, MediaUnavailable } from "../network.ts";

/** `length` bytes of a file from `offset`. Throws `MediaUnavailable`. */
export async function openPart(file: MediaFile, offset: number, length: number): Promise<ReadableStream<Uint8Array>> {
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
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const piece = value.subarray(Math.max(0, offset - at), Math.max(0, offset + length - at));
        at += value.byteLength;
        if (piece.byteLength > 0) controller.enqueue(piece);
        if (at >= offset + length) {
          await reader.cancel();
          return controller.close();
        }
        if (piece.byteLength > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
