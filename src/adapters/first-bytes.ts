/** At most `bytesMax` bytes of a stream; the rest is not read. */
export async function firstBytes(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  while (bytes < bytesMax) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.byteLength;
  }
  await reader.cancel();
  const whole = new Uint8Array(Math.min(bytes, bytesMax));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk.subarray(0, whole.byteLength - at), at);
    at = Math.min(at + chunk.byteLength, whole.byteLength);
  }
  return whole;
}
