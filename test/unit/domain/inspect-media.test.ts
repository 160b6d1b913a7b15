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

/** A file of `size` bytes that holds `parts` at their offsets and zeros elsewhere, and counts what is read of it. */
function source(size: number, parts: [number, Uint8Array][]) {
  const reads: [number, number][] = [];
  const read = async (offset: number, length: number) => {
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset + length).toBeLessThanOrEqual(size);
    reads.push([offset, length]);
    const out = new Uint8Array(length);
    for (const [at, bytes] of parts) {
      const from = Math.max(at, offset);
      const to = Math.min(at + bytes.length, offset + length);
      if (from < to) out.set(bytes.subarray(from - at, to - at), from - offset);
    }
    return out;
  };
  return { size, read, reads, bytesRead: () => reads.reduce((sum, [, length]) => sum + length, 0) };
}
const inspect = (contentType: string, file: Uint8Array) => {
  const { size, read } = source(file.length, [[0, file]]);
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
  ])("%s has the size that its header says", async (type, file) => {
    expect(await inspect(type, file)).toEqual({ width: 640, height: 480, seconds: null });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "a JPEG with EXIF orientation %i has the size in which it is shown",
    async (orientation) => {
      const [width, height] = orientation >= 5 ? [480, 640] : [640, 480];
      expect(await inspect("image/jpeg", jpeg(640, 480, orientation))).toEqual({ width, height, seconds: null });
    },
  );

  it("of a large image only the beginning is read", async () => {
    const { size, read, bytesRead } = source(25 * MIB, [[0, jpeg(9_000, 2_000)]]);
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
  ])("%s has size and length", async (_, type, file) => {
    expect(await inspect(type, file)).toEqual(facts);
  });

  it("a video that is turned has the size in which it is shown", async () => {
    expect(await inspect("video/mp4", mp4({ ...movie, rotation: 90 }))).toEqual({
      ...facts,
      width: 1_080,
      height: 1_920,
    });
  });

  it("a WebM that names no length has a size and no length", async () => {
    expect(await inspect("video/webm", webm({ width: 320, height: 240 }))).toEqual({
      width: 320,
      height: 240,
      seconds: null,
    });
  });

  it("of 100 MB with the movie box last, the beginning and the end are read", async () => {
    const size = 100_000_000;
    const end = movieBox({ ...movie, padding: 300_000 });
    const start = fileType();
    const data = pictures(size - start.length - 16 - end.length);
    const { read, reads, bytesRead } = source(size, [
      [0, join(start, data)],
      [size - end.length, end],
    ]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(facts);
    expect(bytesRead()).toBeLessThan(MIB);
    expect(reads.length).toBeLessThanOrEqual(3);
  });

  it("of 100 MB with the movie box first, only the beginning is read", async () => {
    const { size, read, bytesRead } = source(100_000_000, [
      [0, join(fileType(), movieBox(movie), pictures(99_000_000))],
    ]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(facts);
    expect(bytesRead()).toBe(256 * 1024);
  });

  it("of a 100 MB WebM only the beginning is read", async () => {
    const { size, read, bytesRead } = source(100_000_000, [[0, webm(movie)]]);
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
    const { read, bytesRead } = source(size, [[0, join(fileType(), huge)]]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(NOTHING);
    expect(bytesRead()).toBeLessThan(MIB);
  });

  it("a hundred thousand boxes before the movie box are not followed", async () => {
    const size = 100_000 * 1_000;
    const far = join(word(1_000_000), new TextEncoder().encode("free"));
    const { read, bytesRead, reads } = source(size, [
      [0, fileType()],
      ...Array.from({ length: 100 }, (_, i): [number, Uint8Array] => [fileType().length + i * 1_000_000, far]),
    ]);
    expect(await inspectMedia("video/mp4", size, read)).toEqual(NOTHING);
    expect(bytesRead()).toBeLessThan(5 * MIB);
    expect(reads.length).toBeLessThan(40);
  });

  it("a thousand boxes inside the movie box are not looked at", async () => {
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

  it("a length that is no length, and a size of nothing, are not known", async () => {
    expect(await inspect("video/mp4", mp4({ width: 0, height: 0, seconds: 0 }))).toEqual(NOTHING);
    expect(await inspect("video/mp4", mp4({ ...movie, seconds: 4_294_967.295 }))).toMatchObject({ seconds: null });
    expect(await inspect("video/webm", webm({ ...movie, seconds: Number.POSITIVE_INFINITY }))).toMatchObject({
      seconds: null,
    });
    expect(await inspect("image/gif", gif(0, 48))).toEqual(NOTHING);
  });

  it("a file that is cut off or overwritten anywhere tells nothing wrong and throws nothing", async () => {
    const files: [string, Uint8Array][] = [
      ["video/mp4", mp4(movie)],
      ["video/mp4", mp4({ ...movie, long: true, fragmented: true }, { first: false, bytes: 20 })],
      ["video/webm", webm(movie)],
      ["image/jpeg", jpeg(64, 48, 6)],
      ["image/webp", webp(64, 48)],
    ];
    for (const [type, file] of files) {
      for (let at = 12; at < file.length; at++) {
        expect(await inspect(type, file.slice(0, at)), `${type} cut at ${at}`).not.toBeNull();
        for (const value of [0, 1, 0xff]) {
          const broken = file.slice();
          broken[at] = value;
          await expect(inspect(type, broken), `${type} with ${value} at ${at}`).resolves.toBeDefined();
        }
      }
    }
  });
});

describe("the first bytes", () => {
  it("that are of another type are recognised", async () => {
    expect(await inspect("image/png", jpeg(64, 48))).toBeNull();
    expect(await inspect("video/mp4", webm({ width: 1, height: 1 }))).toBeNull();
    expect(await inspect("video/webm", new Uint8Array(100))).toBeNull();
    expect(await inspect("image/gif", new Uint8Array())).toBeNull();
    expect(await inspect("text/plain", gif(1, 1))).toBeNull();
  });

  it("of a file whose later parts cannot be had are enough for its type", async () => {
    const end = movieBox({ width: 64, height: 48, seconds: 1 });
    const start = join(fileType(), pictures(MIB));
    const { read } = source(start.length + MIB + end.length, [[0, start]]);
    const beginning = async (offset: number, length: number) => (offset === 0 ? read(0, length) : new Uint8Array());
    expect(await inspectMedia("video/mp4", start.length + MIB + end.length, beginning)).toEqual(NOTHING);
  });
});
