// A photo in HEIC as a phone stores it: a grid of tiles of 512 by 512 pixels, turned when it is shown. Its upper half as stored is red, its
// lower half blue. The two tiles were encoded for this (`heif-enc --no-alpha -q 40 -p preset=ultrafast` of libheif 1.15.1 on plain PNGs);
// what is around them is written here, so that a photo of 12 megapixels has three kilobytes.
import { box, join } from "./media-files.ts";

const TILE = 512;

const decode = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** The HEVC configuration of both tiles, as the box of a property. */
const CONFIGURATION = decode(
  "AAAAeGh2Y0MBA3AAAAAAAAAAAABa8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwBaugJAIQABACxCAQEDcAAAAwCQAAADAAADAFqgBAIAgFluk5KS5uBAQMCAAAADAIAAAAMAhCIAAQAGRAHAcYMS",
);
/** The coded tiles. */
const RED = decode(
  "AAAAcCgBrUQXbmJQhEDJYP++S/8ewLf1MVOhmYHKECAAAAMAAAMAABoQB5vIAAADAAADAAADAAOCAAADAAADAAADAAB/QAAAAwAAAwAABQQAAAMAAAMAAeMAAAMAAAMAGXAAAAMAAAMAcEAAAAMAAAMA4oA=",
);
const BLUE = decode(
  "AAAAcSgBrUQXjmJQhEDJYP/SoNft80+0QxU6GZgcoQIAAAMAAAMAAAMBoQebyAAAAwAAAwAAAwADggAAAwAAAwAAAwAAf0AAAAMAAAMAAAUEAAADAAADAAHjAAADAAADABlwAAADAAADAHBAAAADAAADAOKA",
);

const u16 = (value: number) => [value >> 8, value & 0xff];
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value & 0xffff)];
/** A box whose content begins with a version and flags. */
const fullBox = (type: string, ...content: (Uint8Array | number[])[]) => box(type, [0, 0, 0, 0], ...content);
const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));

export interface Photo {
  /** Pixels as stored. */
  width: number;
  height: number;
  /** Quarters of a turn against the clock before it is shown; an upright photo of a phone has 3. */
  turns?: number;
  /** Shown mirrored: left and right are swapped. */
  isMirrored?: boolean;
  /** The first brand of the file, and the others. */
  brands?: [string, string[]];
  /** Further properties of the whole picture, between its size and its turn. */
  properties?: Uint8Array[];
  /** Further properties that no displayed picture uses. */
  strays?: Uint8Array[];
}

export function makeHeic({ width, height, turns = 0, isMirrored = false, ...more }: Photo): Uint8Array<ArrayBuffer> {
  const { brands: [brand, others] = ["heic", ["mif1", "heic"]], properties = [], strays = [] } = more;
  const [columns, rows] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const tiles = Array.from({ length: rows * columns }, (_, i) => (i < (rows * columns) / 2 ? 0 : 1));
  const size = (across: number, down: number) => fullBox("ispe", u32(across), u32(down));
  // Properties are named by their places, which begin with 1. The tiles' size comes first, as a phone writes it.
  const list = [
    size(TILE, TILE),
    CONFIGURATION,
    size(width, height),
    ...properties,
    ...(turns === 0 ? [] : [box("irot", [turns])]),
    ...(isMirrored ? [box("imir", [1])] : []),
  ];
  const wholes = list.flatMap((_, i) => (i < 2 ? [] : [i + 1]));
  const links = [[...u16(1), wholes.length, ...wholes], ...tiles.map((_, i) => [...u16(i + 2), 2, 1, 0x80 | 2])];
  const grid = [0, 0, rows - 1, columns - 1, ...u16(width), ...u16(height)];
  const fileType = box("ftyp", ascii(brand), [0, 0, 0, 0], ascii(others.join("")));
  const metaAt = (data: number) => {
    const places = [grid.length, RED.length, BLUE.length];
    const placeOf = (piece: number) => {
      const at = data + places.slice(0, piece).reduce((sum, bytes) => sum + bytes, 0);
      return [...u16(0), ...u16(1), ...u32(at), ...u32(places[piece] ?? 0)];
    };
    // A tile is hidden, because it is not a picture of its own.
    const item = (id: number, type: string) =>
      box("infe", [2, 0, 0, id === 1 ? 0 : 1], u16(id), [0, 0], ascii(`${type}\0`));
    return fullBox(
      "meta",
      fullBox("hdlr", u32(0), ascii("pict"), u32(0), u32(0), u32(0), [0]),
      fullBox("pitm", u16(1)),
      fullBox(
        "iloc",
        [0x44, 0],
        u16(tiles.length + 1),
        [...u16(1), ...placeOf(0)],
        ...tiles.map((tile, i) => [...u16(i + 2), ...placeOf(tile + 1)]),
      ),
      fullBox("iinf", u16(tiles.length + 1), item(1, "grid"), ...tiles.map((_, i) => item(i + 2, "hvc1"))),
      box("iprp", box("ipco", ...list, ...strays), fullBox("ipma", u32(links.length), ...links)),
      fullBox("iref", box("dimg", u16(1), u16(tiles.length), ...tiles.map((_, i) => u16(i + 2)))),
    );
  };
  // The addresses in it have always the same length.
  const data = fileType.length + metaAt(0).length + 8;
  return join(fileType, metaAt(data), box("mdat", grid, RED, BLUE));
}
