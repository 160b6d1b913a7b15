import type { NetworkIO } from "../../src/networks/network.ts";

/** Makes a body like `NetworkIO.sized`, but does not check its length. */
export const joinPieces: NetworkIO["sized"] = (source) => {
  if (source instanceof ReadableStream) return source;
  const chunks = readChunks(source);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
};

async function* readChunks(
  pieces: AsyncGenerator<Uint8Array | ReadableStream<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (piece instanceof ReadableStream) yield* piece;
    else yield piece;
  }
}
