// Reads the headers of HEIC photos. Invalid headers must not cause errors or nonsensical sizes.
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasAlphaPicture } from "../../../src/domain/media/heic.ts";
import { inspectMedia } from "../../../src/domain/media/inspect.ts";
import { ROOT } from "../../support/documents/markdown.ts";
import { makeHeic, type Photo } from "../../support/make-heic.ts";
import { box, join } from "../../support/media-files.ts";
import { countRuns } from "../../support/runs.ts";

const inspect = (file: Uint8Array) =>
  inspectMedia("image/heic", file.length, async (offset, length) => file.subarray(offset, offset + length));
const STORED = { width: 4_032, height: 3_024 };
const toBytes = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
const makeRatio = (value: number, below = 1) => [...toBytes(value * below), ...toBytes(below)];
const makeCrop = (across: number[], down: number[]) => box("clap", across, down, makeRatio(0), makeRatio(0));
const makeAuxiliary = (name: string) => box("auxC", [0, 0, 0, 0], [...Buffer.from(`${name}\0`)]);

describe("the size of a HEIC photo", () => {
  it.each<[string, Partial<Photo>, number, number]>([
    ["is that of the whole image, not of its tiles", {}, 4_032, 3_024],
    ["is swapped after a quarter turn", { turns: 1 }, 3_024, 4_032],
    ["is as stored after two quarter turns", { turns: 2 }, 4_032, 3_024],
    ["is swapped after three quarter turns", { turns: 3 }, 3_024, 4_032],
    ["is not changed by mirroring", { turns: 3, isMirrored: true }, 3_024, 4_032],
    ["is the size after a crop", { properties: [makeCrop(makeRatio(4_000), makeRatio(3_001, 2))] }, 4_000, 3_001],
    ["is rotated after a crop", { properties: [makeCrop(makeRatio(4_000), makeRatio(3_000))], turns: 1 }, 3_000, 4_000],
    [
      "is found if the tiles share no property",
      { strays: Array.from({ length: 500 }, () => box("free")) },
      4_032,
      3_024,
    ],
    ["is found in a file of a general brand", { brands: ["mif1", ["mif1", "heic"]] }, 4_032, 3_024],
  ])("the size of a HEIC photo %s", async (_, fields, width, height) => {
    expect(await inspect(makeHeic({ ...STORED, ...fields }))).toEqual({ width, height, seconds: null });
  });

  it("the size of a HEIC photo is found after its image data", async () => {
    const file = makeHeic(STORED);
    const first = new DataView(file.buffer).getUint32(0);
    const moved = join(file.subarray(0, first), box("mdat", new Uint8Array(300_000)), file.subarray(first));
    expect(await inspect(moved)).toMatchObject(STORED);
  });

  it.each<[string, Partial<Photo>]>([
    ["without pixels", { width: 0 }],
    ["with an empty crop", { properties: [makeCrop(makeRatio(0), makeRatio(3_000))] }],
    [
      "with a crop whose size is divided by zero",
      { properties: [makeCrop([...toBytes(1), ...toBytes(0)], makeRatio(3_000))] },
    ],
  ])("the size of a HEIC photo %s is unknown", async (_, fields) => {
    expect(await inspect(makeHeic({ ...STORED, ...fields }))).toEqual({ width: null, height: null, seconds: null });
  });

  it("a file that is not HEIC, or is truncated, has no size", async () => {
    const file = makeHeic(STORED);
    expect(await inspectMedia("image/heic", 100, async () => new Uint8Array(100))).toBeNull();
    expect(await inspect(file.subarray(0, 200))).toEqual({ width: null, height: null, seconds: null });
  });

  it("the size of a HEIC photo is unknown if a box is shorter than its content", async () => {
    const empty = join(box("pitm", [0, 0, 0, 0]), box("iprp", box("ipco"), box("ipma")));
    const file = join(makeHeic(STORED).subarray(0, 24), box("meta", [0, 0, 0, 0], empty));
    expect(await inspect(file)).toEqual({ width: null, height: null, seconds: null });
  });

  it("the size of a HEIC photo is valid or unknown after random changes of its headers", async () => {
    const file = makeHeic({ ...STORED, turns: 1 });
    const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255));
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const damaged = Uint8Array.from(file);
      for (const [index, value] of changes) damaged[index] = value;
      const facts = await inspect(damaged);
      if (facts === null) return;
      const { width, height } = facts;
      expect((width === null) === (height === null)).toBe(true);
      expect(width === null || (Number.isSafeInteger(width) && width > 0)).toBe(true);
    });
    await fc.assert(property, { numRuns: countRuns(900) });
  });
});

it("the photo of the smoke test is one that makeHeic makes", async () => {
  const photo = await readFile(`${ROOT}/scripts/smoke/phone.heic`);
  expect(Uint8Array.from(photo)).toEqual(makeHeic({ width: 1_024, height: 1_024, turns: 3 }));
});

it.each([
  [[], false],
  [["urn:com:apple:photo:2020:aux:hdrgainmap"], false],
  [["urn:mpeg:hevc:2015:auxid:2"], false],
  [["urn:mpeg:hevc:2015:auxid:1"], true],
  [["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"], true],
])("a HEIC photo with the auxiliary images %j is transparent: %s", (names, expected) => {
  expect(hasAlphaPicture(makeHeic({ ...STORED, strays: names.map(makeAuxiliary) }))).toBe(expected);
});
