// Makes HEIC photos like those of a phone: a grid of tiles of 512 by 512 pixels that is turned when it is shown. The stored upper half is
// red, the lower half blue. The two tiles were encoded with `heif-enc --no-alpha -q 40 -p preset=ultrafast` of libheif 1.15.1 from plain
// PNGs. The code below writes the rest of the file, so that a photo of 12 megapixels has only three kilobytes.
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
  /** The counter-clockwise quarter turns before the photo is shown. An upright photo of a phone has 3. */
  turns?: number;
  /** Whether left and right are swapped when the photo is shown. */
  isMirrored?: boolean;
  /** The first brand of the file, and the others. */
  brands?: [string, string[]];
  /** Further properties of the whole picture, between its size and its turn. */
  properties?: Uint8Array[];
  /** Further properties that no displayed picture uses. */
  strays?: Uint8Array[];
}

export function makeHeic({ width, height, turns = 0, isMirrored = false, ...shape }: Photo): Uint8Array<ArrayBuffer> {
  const { brands: [brand, otherBrands] = ["heic", ["mif1", "heic"]], properties = [], strays = [] } = shape;
  const [columns, rows] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const tiles = Array.from({ length: rows * columns }, (_, i) => (i < (rows * columns) / 2 ? 0 : 1));
  const size = (across: number, down: number) => fullBox("ispe", u32(across), u32(down));
  // Properties are referred to by their positions, which begin with 1. The size of the tiles comes first, as in a phone's file.
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
  const fileType = box("ftyp", ascii(brand), [0, 0, 0, 0], ascii(otherBrands.join("")));
  const metaAt = (data: number) => {
    const places = [grid.length, RED.length, BLUE.length];
    const encodePlace = (piece: number) => {
      const offset = data + places.slice(0, piece).reduce((sum, bytes) => sum + bytes, 0);
      return [...u16(0), ...u16(1), ...u32(offset), ...u32(places[piece] ?? 0)];
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
        [...u16(1), ...encodePlace(0)],
        ...tiles.map((tile, i) => [...u16(i + 2), ...encodePlace(tile + 1)]),
      ),
      fullBox("iinf", u16(tiles.length + 1), item(1, "grid"), ...tiles.map((_, i) => item(i + 2, "hvc1"))),
      box("iprp", box("ipco", ...list, ...strays), fullBox("ipma", u32(links.length), ...links)),
      fullBox("iref", box("dimg", u16(1), u16(tiles.length), ...tiles.map((_, i) => u16(i + 2)))),
    );
  };
  // The length of `meta` does not depend on its offsets, so it can be measured with any offset.
  const data = fileType.length + metaAt(0).length + 8;
  return join(fileType, metaAt(data), box("mdat", grid, RED, BLUE));
}
