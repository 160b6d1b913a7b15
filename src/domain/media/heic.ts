// The size of a photo in HEIC (ISO/IEC 23008-12). One of the file's items is the picture to show, and the file lists the
// properties of each item: its pixels as stored, and how it is cropped, rotated and mirrored before it is shown. The EXIF
// orientation has no effect in such a file. A phone stores a photo as a grid of tiles, and each tile has its own size, so
// only the properties of the primary item count.
import { type Box, boxAt, boxes, findBox, type ReadFile, readTopBox, toDataView } from "./boxes.ts";
import { type FileFacts, NO_FACTS } from "./file-facts.ts";

/**
 * Size of the largest `meta` box that is read: a phone's box has about five thousand bytes, with EXIF and a thumbnail outside
 * it.
 */
const META_BYTES_MAX = 1024 * 1024;
/** A phone stores some ten properties; programs that share no properties between tiles store three for each tile. */
const PROPERTIES_MAX = 4_000;
/** The version and the flags at the beginning of many boxes' content. */
const FULL_BOX_BYTES = 4;

/** The pixels of a HEIC photo as shown; no facts if its headers cannot be understood. Throws only errors of reading. */
export async function heicFacts(file: ReadFile): Promise<FileFacts> {
  const meta = await readTopBox("meta", META_BYTES_MAX, file);
  try {
    return meta === null ? NO_FACTS : { ...NO_FACTS, ...readSize(meta, primaryProperties(meta)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return NO_FACTS;
  }
}

/** The kinds of auxiliary pictures that define transparency. */
const ALPHA = ["urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"];

/** Whether a photo that begins with `head` has an auxiliary picture for transparency. */
export function hasAlphaPicture(head: Uint8Array): boolean {
  const meta = findBox(boxes(head, 0, head.byteLength), "meta");
  const properties = meta && listProperties(head, meta);
  return (properties ?? []).some(({ type, content, end }) => {
    if (type !== "auxC") return false;
    const [name = ""] = String.fromCharCode(
      ...head.subarray(content + FULL_BOX_BYTES, Math.min(end, content + 100)),
    ).split("\0");
    return ALPHA.includes(name);
  });
}

/** The boxes inside a box whose content begins with a version. */
const inside = (bytes: Uint8Array, { content, end }: Box, most?: number) =>
  boxes(bytes, content + FULL_BOX_BYTES, end, most);

function listProperties(bytes: Uint8Array, meta: Box): Box[] {
  const itemProperties = findBox(inside(bytes, meta), "iprp");
  const list = itemProperties && findBox(boxes(bytes, itemProperties.content, itemProperties.end), "ipco");
  return list === null ? [] : [...boxes(bytes, list.content, list.end, PROPERTIES_MAX)];
}

/** The properties of the picture to show, in the order in which they apply. */
function primaryProperties(meta: Uint8Array): Box[] {
  const view = toDataView(meta);
  const whole = boxAt(meta, 0);
  const primary = whole && findBox(inside(meta, whole), "pitm");
  const itemProperties = whole && findBox(inside(meta, whole), "iprp");
  const links = itemProperties && findBox(boxes(meta, itemProperties.content, itemProperties.end), "ipma");
  if (!whole || !primary || !links) return [];
  const id =
    view.getUint8(primary.content) === 0 ? view.getUint16(primary.content + 4) : view.getUint32(primary.content + 4);
  const properties = listProperties(meta, whole);
  const hasLongIds = view.getUint8(links.content) > 0;
  const hasLongIndexes = (view.getUint8(links.content + 3) & 1) === 1;
  // No count is trusted: an entry has at least three bytes, and reading beyond the box throws.
  for (let offset = links.content + 8; offset < links.end; ) {
    const item = hasLongIds ? view.getUint32(offset) : view.getUint16(offset);
    offset += hasLongIds ? 4 : 2;
    const count = view.getUint8(offset);
    offset += 1;
    if (item === id) {
      return Array.from({ length: count }, (_, i) =>
        // The highest bit says whether a reader must know the property.
        hasLongIndexes ? view.getUint16(offset + 2 * i) & 0x7fff : view.getUint8(offset + i) & 0x7f,
      ).flatMap((index) => properties[index - 1] ?? []);
    }
    offset += count * (hasLongIndexes ? 2 : 1);
  }
  return [];
}

function readSize(meta: Uint8Array, properties: Box[]): Pick<FileFacts, "width" | "height"> {
  const view = toDataView(meta);
  let size = { width: 0, height: 0 };
  for (const { type, content } of properties) {
    if (type === "ispe") size = { width: view.getUint32(content + 4), height: view.getUint32(content + 8) };
    // Clean aperture: numerator and denominator of its width, and of its height.
    if (type === "clap") {
      const side = (offset: number) => Math.round(view.getUint32(offset) / view.getUint32(offset + 4));
      size = { width: side(content), height: side(content + 8) };
    }
    // The rotation, in quarters of a turn.
    if (type === "irot" && (view.getUint8(content) & 1) === 1) size = { width: size.height, height: size.width };
  }
  const isSize = Number.isFinite(size.width * size.height) && size.width > 0 && size.height > 0;
  return isSize ? size : { width: null, height: null };
}
