/**
 * The first bytes of a stream, `bytesMax` at most; the rest is cancelled unread. To learn whether there is more, ask for one
 * byte more than is allowed. null: an empty stream. Throws the errors of the stream.
 */
export async function readAtMost(
  stream: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (stream === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  try {
    while (length < bytesMax) {
      const { done, value } = await reader.read();
      if (done) break;
      const chunk = value.subarray(0, bytesMax - length);
      chunks.push(chunk);
      length += chunk.byteLength;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
