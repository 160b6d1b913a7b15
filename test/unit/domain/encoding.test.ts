import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64, base64Url, fromBase64, fromBase64Url, hex } from "../../../src/domain/encoding.ts";
import { readAtMost } from "../../../src/domain/read-at-most.ts";

it("bytes are encoded as Node encodes them, and decoded to the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const buffer = Buffer.from(bytes);
      expect([base64(bytes), base64Url(bytes), hex(bytes)]).toEqual([
        buffer.toString("base64"),
        buffer.toString("base64url"),
        buffer.toString("hex"),
      ]);
      expect([...fromBase64(base64(bytes))]).toEqual([...bytes]);
      expect([...fromBase64Url(base64Url(bytes))]).toEqual([...bytes]);
    }),
  );
});

describe("readAtMost", () => {
  const makeStream = (pieces: number[][]) => {
    let cancelled = false;
    const remaining = [...pieces];
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = remaining.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(Uint8Array.from(piece));
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return { stream, wasCancelled: () => cancelled, left: remaining };
  };

  it("readAtMost returns a stream that is shorter than the limit completely", async () => {
    const { stream } = makeStream([[1, 2], [3]]);
    expect([...(await readAtMost(stream, 4))]).toEqual([1, 2, 3]);
    expect([...(await readAtMost(null, 4))]).toEqual([]);
  });

  it("readAtMost cuts off and cancels a stream that is longer than the limit", async () => {
    const { stream, wasCancelled, left: remaining } = makeStream([[1, 2], [3, 4], [5]]);
    expect([...(await readAtMost(stream, 3))]).toEqual([1, 2, 3]);
    expect(wasCancelled()).toBe(true);
    expect(remaining).toEqual([[5]]);
  });
});
