import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64, base64Url, fromBase64, fromBase64Url, hex } from "../../../src/domain/encoding.ts";
import { readAtMost } from "../../../src/domain/read-at-most.ts";

it("bytes as text are read back, and are as Node writes them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const same = Buffer.from(bytes);
      expect([base64(bytes), base64Url(bytes), hex(bytes)]).toEqual([
        same.toString("base64"),
        same.toString("base64url"),
        same.toString("hex"),
      ]);
      expect([...fromBase64(base64(bytes))]).toEqual([...bytes]);
      expect([...fromBase64Url(base64Url(bytes))]).toEqual([...bytes]);
    }),
  );
});

describe("a stream that is read at most so far", () => {
  const streamOf = (pieces: number[][]) => {
    let cancelled = false;
    const left = [...pieces];
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = left.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(Uint8Array.from(piece));
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return { stream, wasCancelled: () => cancelled, left };
  };

  it("is whole when it is shorter", async () => {
    const { stream } = streamOf([[1, 2], [3]]);
    expect([...(await readAtMost(stream, 4))]).toEqual([1, 2, 3]);
    expect([...(await readAtMost(null, 4))]).toEqual([]);
  });

  it("is cut off and cancelled when it is longer", async () => {
    const { stream, wasCancelled, left } = streamOf([[1, 2], [3, 4], [5]]);
    expect([...(await readAtMost(stream, 3))]).toEqual([1, 2, 3]);
    expect(wasCancelled()).toBe(true);
    expect(left).toEqual([[5]]);
  });
});
