// The sizes and lengths that we read of videos are those that mediabunny reads.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BufferSource, Input, Logging, LogLevel, MP4, QTFF, WEBM } from "mediabunny";
import { expect, it } from "vitest";
import { inspectMedia } from "../../../src/domain/media/inspect.ts";
import { mp4, type Rotation, type WebMovie, webm } from "../../support/media-files.ts";

Logging.level = LogLevel.Silent;

const ours = (type: string, file: Uint8Array) =>
  inspectMedia(type, file.length, async (from, length) => file.subarray(from, from + length));

async function theirs(file: Uint8Array<ArrayBuffer>) {
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

it.each(ROTATIONS)("MP4 and MOV turned by %i degrees, of any pixels", async (rotation) => {
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
          expect(await ours(type, file), JSON.stringify(movie)).toEqual(await theirs(file));
        }
      }
    }
  }
});

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

it.each(WEB_MOVIES)("WebM %j", async (more) => {
  const file = webm({ width: 641, height: 480, ...more });
  expect(await ours("video/webm", file)).toEqual(await theirs(file));
});

it("a track that is switched off, and a file of another kind, have no size", async () => {
  const off = webm({ width: 64, height: 48, seconds: 1, enabled: false });
  expect(await ours("video/webm", off)).toMatchObject({ width: null, height: null });
  expect(await theirs(off)).toMatchObject({ width: null, height: null });
  const other = webm({ width: 64, height: 48, seconds: 1, docType: "matroska" });
  expect(await ours("video/webm", other)).toEqual({ width: null, height: null, seconds: null });
  await expect(theirs(other)).rejects.toThrow("unsupported");
});

it("the demo's video has the size that the library reads", async () => {
  const file = new Uint8Array(readFileSync(join(import.meta.dirname, "../../../scripts/local/demo.mp4")));
  const { width, height } = await theirs(file);
  expect(await ours("video/mp4", file)).toMatchObject({ width, height });
});
