import { describe, expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { readImageTraits } from "../../../src/domain/media/image-traits.ts";

const toAscii = (text: string) => [...text].map((character) => character.charCodeAt(0));
const makeChunk = (name: string, data: number[] = []) => [0, 0, 0, data.length, ...toAscii(name), ...data, 0, 0, 0, 0];
const SIGNATURE = [0x89, ...toAscii("PNG"), 0x0d, 0x0a, 0x1a, 0x0a];
const makePngFile = (colourType: number, ...chunks: number[][]) =>
  Uint8Array.from([
    ...SIGNATURE,
    ...makeChunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, colourType, 0, 0, 0]),
    ...chunks.flat(),
  ]);

/** The image data of a GIF with one pixel. */
const PICTURE = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0];
const makeGif = (...blocks: number[][]) =>
  Uint8Array.from([...toAscii("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, ...[0, 0, 0, 255, 255, 255], ...blocks.flat()]);
const makeControl = (flags: number) => [0x21, 0xf9, 4, flags, 0, 0, 0, 0];

const makeWebp = (...bytes: number[]) =>
  Uint8Array.from([...toAscii("RIFF"), 0, 0, 0, 0, ...toAscii("WEBP"), ...bytes]);

describe("readImageTraits", () => {
  it("readImageTraits finds that an ordinary PNG is still and opaque", () => {
    expect(readImageTraits("image/png", new Uint8Array(makePng(64, 48, 1)), true)).toEqual({
      isAnimated: false,
      hasAlpha: false,
    });
  });

  it("readImageTraits finds a PNG's alpha channel, its transparent colour, and an animation that is declared before the pixels", () => {
    expect(readImageTraits("image/png", makePngFile(6, makeChunk("IDAT")), true)).toEqual({
      isAnimated: false,
      hasAlpha: true,
    });
    expect(readImageTraits("image/png", makePngFile(3, makeChunk("tRNS", [0]), makeChunk("IDAT")), true).hasAlpha).toBe(
      true,
    );
    expect(
      readImageTraits("image/png", makePngFile(2, makeChunk("acTL", [0]), makeChunk("IDAT")), true).isAnimated,
    ).toBe(true);
    expect(
      readImageTraits("image/png", makePngFile(2, makeChunk("IDAT"), makeChunk("acTL", [0])), true).isAnimated,
    ).toBe(false);
  });

  it("readImageTraits finds the animation and the transparent colour of a GIF", () => {
    expect(readImageTraits("image/gif", makeGif(PICTURE, [0x3b]), true)).toEqual({
      isAnimated: false,
      hasAlpha: false,
    });
    expect(readImageTraits("image/gif", makeGif(makeControl(1), PICTURE, [0x3b]), true).hasAlpha).toBe(true);
    expect(readImageTraits("image/gif", makeGif(PICTURE, PICTURE, [0x3b]), true).isAnimated).toBe(true);
  });

  it("readImageTraits assumes that a GIF is animated if the bytes read end within its first image", () => {
    expect(readImageTraits("image/gif", makeGif(PICTURE.slice(0, -1)), false).isAnimated).toBe(true);
    expect(readImageTraits("image/gif", makeGif(PICTURE.slice(0, -1)), true).isAnimated).toBe(false);
  });

  it("readImageTraits reads the flags of a WebP", () => {
    const makeExtended = (flags: number) => makeWebp(...toAscii("VP8X"), 10, 0, 0, 0, flags, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    expect(readImageTraits("image/webp", makeExtended(0x12), true)).toEqual({ isAnimated: true, hasAlpha: true });
    expect(readImageTraits("image/webp", makeExtended(0), true)).toEqual({ isAnimated: false, hasAlpha: false });
    const lossless = makeWebp(...toAscii("VP8L"), 5, 0, 0, 0, 0x2f, 0, 0, 0, 0x10);
    expect(readImageTraits("image/webp", lossless, true)).toEqual({ isAnimated: false, hasAlpha: true });
  });

  it("readImageTraits assumes that an image with truncated headers is still and opaque", () => {
    for (const type of ["image/png", "image/webp", "image/jpeg"]) {
      expect(readImageTraits(type, new Uint8Array(3), true)).toEqual({ isAnimated: false, hasAlpha: false });
    }
  });
});
