import { describe, expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { inspectMedia } from "../../../src/domain/media/inspect.ts";
import {
  box,
  fileType,
  gif,
  join,
  jpeg,
  type Movie,
  movieBox,
  mp4,
  pictures,
  webm,
  webp,
} from "../../support/media-files.ts";

/** Makes a file of `size` bytes that has `parts` at their offsets and zeros elsewhere, and counts the bytes that are read. */
function makeSource(size: number, parts: [number, Uint8Array][]) {
  const reads: [number, number][] = [];
  const read = async (offset: number, length: number) => {
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset + length).toBeLessThanOrEqual(size);
    reads.push([offset, length]);
    const out = new Uint8Array(length);
    for (const [start, bytes] of parts) {
      const from = Math.max(start, offset);
      const to = Math.min(start + bytes.length, offset + length);
      if (from < to) out.set(bytes.subarray(from - start, to - start), from - offset);
    }
    return out;
  };
  return { size, read, reads, bytesRead: () => reads.reduce((sum, [, length]) => sum + length, 0) };
}
const inspect = (contentType: string, file: Uint8Array) => {
  const { size, read } = makeSource(file.length, [[0, file]]);
  return inspectMedia(contentType, size, read);
};
const NOTHING = { width: null, height: null, seconds: null };
const MIB = 1024 * 1024;

describe("images", () => {
  it.each([
    ["image/jpeg", jpeg(640, 480)],
    ["image/png", makePng(640, 480, 0)],
    ["image/gif", gif(640, 480)],
    ["image/webp", webp(640, 480)],
  ])("an image of the type %s has the size from its header", async (type, file) => {
    expect(await inspect(type, file)).toEqual({ width: 640, height: 480, seconds: null });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "a JPEG with EXIF orientation %i has the size in which it is displayed",
    async (orientation) => {
      const [width, height] = orientation >= 5 ? [480, 640] : [640, 480];
      expect(await inspect("image/jpeg", jpeg(640, 480, orientation))).toEqual({ width, height, seconds: null });
    },
  );

  it("only the beginning of a large image is read", async () => {
    const { size, read, bytesRead } = makeSource(25 * MIB, [[0, jpeg(9_000, 2_000)]]);
    expect(await inspectMedia("image/jpeg", size, read)).toMatchObject({ width: 9_000, height: 2_000 });
    expect(bytesRead()).toBe(256 * 1024);
  });
});

describe("videos", () => {
  const movie: Movie = { width: 1_920, height: 1_080, seconds: 12.345 };
  const facts = { width: 1_920, height: 1_080, seconds: 12.345 };

  it.each([
    ["MP4, movie box first", "video/mp4", mp4(movie)],
    ["MP4, movie box last", "video/mp4", mp4(movie, { first: false })],
    ["MOV, movie box first", "video/quicktime", mp4(movie, { brand: "qt  " })],
    ["MOV, movie box last", "video/quicktime", mp4(movie, { brand: "qt  ", first: false })],
    ["MP4 with 64-bit times", "video/mp4", mp4({ ...movie, long: true })],
    ["MP4 in fragments", "video/mp4", mp4({ ...movie, fragmented: true })],
    ["MP4 in fragments with 64-bit times", "video/mp4", mp4({ ...movie, fragmented: true, long: true })],
    ["WebM", "video/webm", webm(movie)],
  ])("the size and the length of a video are read: %s", async (_, type, file) => {
    expect(await inspect(type, file)).toEqual(facts);
  });

  it("a rotated video has the size in which it is displayed", async () => {
    expect(await inspect("video/mp4", mp4({ ...movie, rotation: 90 }))).toEqual({
      ...facts,
      width: 1_080,
      height: 1_920,
    });
  });

  it("a WebM without a stated length has a size and no length", async () => {
    expect(await inspect("video/webm", webm({ width: 320, height: 240 }))).toEqual({
      width: 320,
      height: 240,
      seconds: null,
    });
  });

  it("only the beginning and the end of a video of 100 MB with the movie box last are read", async () => {
    const size = 100_000_000;
    const end = movieBox({ ...movie, padding: 300_000 });
    const start = fileType();
    const data = pictures(size - start.length - 16 - end.length);
    const { read, reads, bytesRead } = makeSource(size, [
      [0, join(start, data)],
      [size - end.length, end],
    ]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(facts);
    expect(bytesRead()).toBeLessThan(MIB);
    expect(reads.length).toBeLessThanOrEqual(3);
  });

  it("only the beginning of a video of 100 MB with the movie box first is read", async () => {
    const { size, read, bytesRead } = makeSource(100_000_000, [
      [0, join(fileType(), movieBox(movie), pictures(99_000_000))],
    ]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(facts);
    expect(bytesRead()).toBe(256 * 1024);
  });

  it("only the beginning of a WebM of 100 MB is read", async () => {
    const { size, read, bytesRead } = makeSource(100_000_000, [[0, webm(movie)]]);
    expect(await inspectMedia("video/webm", size, read)).toEqual(facts);
    expect(bytesRead()).toBe(256 * 1024);
  });
});

describe("the facts that a hostile file states", () => {
  const movie: Movie = { width: 64, height: 48, seconds: 1 };
  const word = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

  it("a movie box of half a gigabyte is not read", async () => {
    const size = 512 * MIB;
    const huge = join(word(size - 100), new TextEncoder().encode("moov"));
    const { read, bytesRead } = makeSource(size, [[0, join(fileType(), huge)]]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(NOTHING);
    expect(bytesRead()).toBeLessThan(MIB);
  });

  it("a hundred thousand boxes before the movie box are not followed", async () => {
    const size = 100_000 * 1_000;
    const far = join(word(1_000_000), new TextEncoder().encode("free"));
    const { read, bytesRead, reads } = makeSource(size, [
      [0, fileType()],
      ...Array.from({ length: 100 }, (_, i): [number, Uint8Array] => [fileType().length + i * 1_000_000, far]),
    ]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(NOTHING);
    expect(bytesRead()).toBeLessThan(5 * MIB);
    expect(reads.length).toBeLessThan(40);
  });

  it("a movie box with a thousand boxes inside is not read", async () => {
    const behind = (count: number) =>
      join(fileType(), box("moov", ...Array.from({ length: count }, () => box("free")), movieBox(movie).subarray(8)));
    expect(await inspect("video/mp4", behind(50))).toEqual({ width: 64, height: 48, seconds: 1 });
    expect(await inspect("video/mp4", behind(1_000))).toEqual(NOTHING);
  });

  it("four thousand million frames are not counted", async () => {
    const endless = [0, 0, 0, 0, ...word(1), ...word(0xffff_ffff), ...word(1)];
    const tables = join(box("stts", endless), box("ctts", endless));
    expect(await inspect("video/mp4", mp4({ ...movie, tables }))).toEqual({ width: 64, height: 48, seconds: 1 });
  });

  it("an invalid length and a size of zero are unknown", async () => {
    expect(await inspect("video/mp4", mp4({ width: 0, height: 0, seconds: 0 }))).toEqual(NOTHING);
    expect(await inspect("video/mp4", mp4({ ...movie, seconds: 4_294_967.295 }))).toMatchObject({ seconds: null });
    expect(await inspect("video/webm", webm({ ...movie, seconds: Number.POSITIVE_INFINITY }))).toMatchObject({
      seconds: null,
    });
    expect(await inspect("image/gif", gif(0, 48))).toEqual(NOTHING);
  });

  it("a file that is truncated or overwritten anywhere causes no error", async () => {
    const files: [string, Uint8Array][] = [
      ["video/mp4", mp4(movie)],
      ["video/mp4", mp4({ ...movie, long: true, fragmented: true }, { first: false, bytes: 20 })],
      ["video/webm", webm(movie)],
      ["image/jpeg", jpeg(64, 48, 6)],
      ["image/webp", webp(64, 48)],
    ];
    for (const [type, file] of files) {
      for (let position = 12; position < file.length; position++) {
        expect(await inspect(type, file.slice(0, position)), `${type} cut at ${position}`).not.toBeNull();
        for (const value of [0, 1, 0xff]) {
          const broken = file.slice();
          broken[position] = value;
          await expect(inspect(type, broken), `${type} with ${value} at ${position}`).resolves.toBeDefined();
        }
      }
    }
  });
});

describe("the first bytes", () => {
  it("a file whose first bytes are of another type is recognised", async () => {
    expect(await inspect("image/png", jpeg(64, 48))).toBeNull();
    expect(await inspect("video/mp4", webm({ width: 1, height: 1 }))).toBeNull();
    expect(await inspect("video/webm", new Uint8Array(100))).toBeNull();
    expect(await inspect("image/gif", new Uint8Array())).toBeNull();
    expect(await inspect("text/plain", gif(1, 1))).toBeNull();
  });

  it("the first bytes of a file whose later bytes cannot be read are enough for its type", async () => {
    const end = movieBox({ width: 64, height: 48, seconds: 1 });
    const start = join(fileType(), pictures(MIB));
    const { read } = makeSource(start.length + MIB + end.length, [[0, start]]);
    const beginning = async (offset: number, length: number) => (offset === 0 ? read(0, length) : new Uint8Array());
    expect(await inspectMedia("video/mp4", start.length + MIB + end.length, beginning)).toEqual(NOTHING);
  });
});
