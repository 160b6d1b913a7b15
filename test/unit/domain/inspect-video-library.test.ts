// Crier reads the same sizes and lengths of videos as the library mediabunny.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BufferSource, Input, Logging, LogLevel, MP4, QTFF, WEBM } from "mediabunny";
import { expect, it } from "vitest";
import { inspectMedia } from "../../../src/domain/media/inspect.ts";
import { mp4, type Rotation, type WebMovie, webm } from "../../support/media-files.ts";

Logging.level = LogLevel.Silent;

const inspectFile = (type: string, file: Uint8Array) =>
  inspectMedia(type, file.length, async (from, length) => file.subarray(from, from + length));

async function readWithLibrary(file: Uint8Array<ArrayBuffer>) {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source: new BufferSource(file) });
  const [track] = await input.getVideoTracks();
  return {
    width: (await track?.getDisplayWidth()) ?? null,
    height: (await track?.getDisplayHeight()) ?? null,
    seconds: await input.getDurationFromMetadata(),
  };
}

const ROTATIONS: Rotation[] = [0, 90, 180, 270];
const ASPECTS: [number, number][] = [
  [1, 1],
  [4, 3],
  [3, 4],
  [0, 1],
  [1, 0],
  [64, 45],
  [12, 11],
];

it.each(ROTATIONS)(
  "the size of MP4 and MOV rotated by %i degrees equals the library's for every pixel ratio",
  async (rotation) => {
    for (const aspect of [undefined, ...ASPECTS]) {
      for (const mirrored of [false, true]) {
        for (const turnsMovie of [false, true]) {
          const movie = {
            width: 641,
            height: 480,
            seconds: 2.5,
            rotation,
            turnsMovie,
            mirrored,
            ...(aspect && { aspect }),
          };
          for (const [type, brand] of [
            ["video/mp4", "isom"],
            ["video/quicktime", "qt  "],
          ] as const) {
            const file = mp4(movie, { brand });
            expect(await inspectFile(type, file), JSON.stringify(movie)).toEqual(await readWithLibrary(file));
          }
        }
      }
    }
  },
);

const WEB_MOVIES: Omit<WebMovie, "width" | "height">[] = [
  {},
  { seconds: 7.25 },
  { seconds: 7.25, scale: 1_000_000 },
  { seconds: 7.25, scale: 500_000 },
  { seconds: -1 },
  { display: [1_280, 720] },
  { display: [720, 1_280] },
  { display: [16, 9], roll: 90 },
  { display: [0, 9] },
  ...[0, 45, 90, -90, 180, 270, -270, 450].map((roll) => ({ roll })),
  { enabled: true },
];

it.each(WEB_MOVIES)("the size and length of a WebM equal the library's: %j", async (fields) => {
  const file = webm({ width: 641, height: 480, ...fields });
  expect(await inspectFile("video/webm", file)).toEqual(await readWithLibrary(file));
});

it("a disabled track and a file of an unsupported type have no size", async () => {
  const off = webm({ width: 64, height: 48, seconds: 1, enabled: false });
  expect(await inspectFile("video/webm", off)).toMatchObject({ width: null, height: null });
  expect(await readWithLibrary(off)).toMatchObject({ width: null, height: null });
  const matroska = webm({ width: 64, height: 48, seconds: 1, docType: "matroska" });
  expect(await inspectFile("video/webm", matroska)).toEqual({ width: null, height: null, seconds: null });
  await expect(readWithLibrary(matroska)).rejects.toThrow("unsupported");
});

it("the size of the demo's video equals the library's", async () => {
  const file = new Uint8Array(readFileSync(join(import.meta.dirname, "../../../scripts/local/demo.mp4")));
  const { width, height } = await readWithLibrary(file);
  expect(await inspectFile("video/mp4", file)).toMatchObject({ width, height });
});
