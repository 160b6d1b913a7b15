import { describe, expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { readImageTraits } from "../../../src/domain/media/image-traits.ts";

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));
const chunk = (name: string, data: number[] = []) => [0, 0, 0, data.length, ...ascii(name), ...data, 0, 0, 0, 0];
const SIGNATURE = [0x89, ...ascii("PNG"), 0x0d, 0x0a, 0x1a, 0x0a];
const png = (colourType: number, ...chunks: number[][]) =>
  Uint8Array.from([...SIGNATURE, ...chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, colourType, 0, 0, 0]), ...chunks.flat()]);

/** A picture of a GIF of one pixel. */
const PICTURE = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0];
const gif = (...blocks: number[][]) =>
  Uint8Array.from([...ascii("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, ...[0, 0, 0, 255, 255, 255], ...blocks.flat()]);
const control = (flags: number) => [0x21, 0xf9, 4, flags, 0, 0, 0, 0];

const webp = (...bytes: number[]) => Uint8Array.from([...ascii("RIFF"), 0, 0, 0, 0, ...ascii("WEBP"), ...bytes]);

describe("readImageTraits", () => {
  it("finds that an ordinary PNG is still and opaque", () => {
    expect(readImageTraits("image/png", new Uint8Array(makePng(64, 48, 1)), true)).toEqual({
      isAnimated: false,
      hasAlpha: false,
    });
  });

  it("finds a PNG's alpha channel, its transparent colour and its animation before its pixels", () => {
    expect(readImageTraits("image/png", png(6, chunk("IDAT")), true)).toEqual({ isAnimated: false, hasAlpha: true });
    expect(readImageTraits("image/png", png(3, chunk("tRNS", [0]), chunk("IDAT")), true).hasAlpha).toBe(true);
    expect(readImageTraits("image/png", png(2, chunk("acTL", [0]), chunk("IDAT")), true).isAnimated).toBe(true);
    expect(readImageTraits("image/png", png(2, chunk("IDAT"), chunk("acTL", [0])), true).isAnimated).toBe(false);
  });

  it("tells a still GIF from an animated one, and finds its transparent colour", () => {
    expect(readImageTraits("image/gif", gif(PICTURE, [0x3b]), true)).toEqual({ isAnimated: false, hasAlpha: false });
    expect(readImageTraits("image/gif", gif(control(1), PICTURE, [0x3b]), true).hasAlpha).toBe(true);
    expect(readImageTraits("image/gif", gif(PICTURE, PICTURE, [0x3b]), true).isAnimated).toBe(true);
  });

  it("takes a GIF for animated when its first picture goes on behind what was read", () => {
    expect(readImageTraits("image/gif", gif(PICTURE.slice(0, -1)), false).isAnimated).toBe(true);
    expect(readImageTraits("image/gif", gif(PICTURE.slice(0, -1)), true).isAnimated).toBe(false);
  });

  it("reads the flags of a WebP", () => {
    const extended = (flags: number) => webp(...ascii("VP8X"), 10, 0, 0, 0, flags, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    expect(readImageTraits("image/webp", extended(0x12), true)).toEqual({ isAnimated: true, hasAlpha: true });
    expect(readImageTraits("image/webp", extended(0), true)).toEqual({ isAnimated: false, hasAlpha: false });
    const lossless = webp(...ascii("VP8L"), 5, 0, 0, 0, 0x2f, 0, 0, 0, 0x10);
    expect(readImageTraits("image/webp", lossless, true)).toEqual({ isAnimated: false, hasAlpha: true });
  });

  it("takes headers that end too soon for those of a still, opaque image", () => {
    for (const type of ["image/png", "image/webp", "image/jpeg"]) {
      expect(readImageTraits(type, new Uint8Array(3), true)).toEqual({ isAnimated: false, hasAlpha: false });
    }
  });
});
