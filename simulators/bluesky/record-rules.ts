// The server's validation of a post's record, and the files that the record shows.
import type { ReceivedFile } from "../ledger.ts";
import { blobCid } from "./ids.ts";
import { invalid, type Json, type JsonObject, toObject, toText, XrpcError } from "./xrpc.ts";

export const POST = "app.bsky.feed.post";
// Limits of the lexicons app/bsky/feed/post, embed/* and richtext/facet, read 2026-11-20.
const TEXT_GRAPHEMES_MAX = 300;
const TEXT_BYTES_MAX = 3_000;
const TAG_GRAPHEMES_MAX = 64;
const TAG_BYTES_MAX = 640;
const IMAGE_BYTES_MAX = 2_000_000;
const THUMB_BYTES_MAX = 1_000_000;
export const VIDEO_BYTES_MAX = 300_000_000;
const IMAGES_MAX = 4;
/** The schema allows 20; clients must stop at 10, so more than 10 is an error here. */
const GALLERY_MAX = 10;

/** app/bsky/embed/video, read 2026-11-27. */
const CAPTIONS = { files: 20, bytes: 20_000 };
const LANGUAGE = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;

interface ShownFile {
  file: ReceivedFile;
  alt: string | null;
}
export interface CheckedPost {
  text: string;
  files: ShownFile[];
  /** A video's. */
  captions?: (ReceivedFile & { lang: string })[];
  card: { uri: string; title: string; description: string; thumbSha256: string | null } | null;
  /** UTF-8 byte ranges of the facets. */
  ranges: { byteStart: number; byteEnd: number }[];
}

function refuse(message: string, path: string): never {
  throw invalid(`Invalid ${POST} record: ${message} at $.record.${path}`);
}

const utf8 = new TextEncoder();
const countGraphemes = (text: string) => [...new Intl.Segmenter().segment(text)].length;

function checkLength(text: string, graphemesMax: number, bytesMax: number, path: string): void {
  const bytes = utf8.encode(text).byteLength;
  if (bytes > bytesMax) refuse(`string too big (maximum ${bytesMax}, got ${bytes})`, path);
  const graphemes = countGraphemes(text);
  if (graphemes > graphemesMax) refuse(`grapheme too big (maximum ${graphemesMax}, got ${graphemes})`, path);
}

/** Throws for a record that the server would refuse. `blobs` are the account's, by CID. */
export function checkPost(record: JsonObject, blobs: ReadonlyMap<string, ReceivedFile>): CheckedPost {
  const { text, createdAt, langs, tags, labels, facets, embed } = record;
  if (record.$type !== POST) refuse(`invalid type (expected "${POST}")`, "$type");
  if (typeof text !== "string") return refuse("missing required value", "text");
  checkLength(text, TEXT_GRAPHEMES_MAX, TEXT_BYTES_MAX, "text");
  checkInstant(createdAt);
  for (const [i, lang] of readArray(langs, 3, "langs").entries())
    if (!LANGUAGE.test(toText(lang))) refuse("invalid language", `langs[${i}]`);
  for (const [i, tag] of readArray(tags, 8, "tags").entries()) checkTag(tag, `tags[${i}]`);
  if (labels !== undefined) {
    if (toObject(labels).$type !== "com.atproto.label.defs#selfLabels") refuse("invalid type", "labels.$type");
    for (const label of readArray(toObject(labels).values, 10, "labels.values"))
      if (toText(toObject(label).val) === "") refuse("missing required value", "labels.values.val");
  }
  const ranges = readArray(facets, Number.POSITIVE_INFINITY, "facets").map((facet, i) =>
    checkFacet(facet, utf8.encode(text), `facets[${i}]`),
  );
  return { text, ranges, files: [], card: null, ...(embed === undefined ? {} : checkEmbed(toObject(embed), blobs)) };
}

function checkInstant(value: Json | undefined): void {
  const spelled = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,20})?(Z|[+-]\d\d:\d\d)$/.test(toText(value));
  // The network also accepts offsets. Crier always writes Z, so anything else is an error here.
  if (!spelled || !toText(value).endsWith("Z") || Number.isNaN(Date.parse(toText(value))))
    refuse("invalid datetime", "createdAt");
}

function checkTag(tag: Json | undefined, path: string): void {
  if (typeof tag !== "string") refuse("invalid type (expected string)", path);
  else checkLength(tag, TAG_GRAPHEMES_MAX, TAG_BYTES_MAX, path);
}

/** Stricter than the server, which does not compare ranges with the text: a range outside it would display as garbage. */
function checkFacet(facet: Json, text: Uint8Array, path: string): { byteStart: number; byteEnd: number } {
  const { byteStart, byteEnd } = toObject(toObject(facet).index);
  const atCharacter = (index: number) => ((text[index] ?? 0) & 0xc0) !== 0x80;
  if (
    !isWhole(byteStart, 0) ||
    !isWhole(byteEnd, 1) ||
    byteStart >= byteEnd ||
    byteEnd > text.byteLength ||
    !atCharacter(byteStart) ||
    !atCharacter(byteEnd)
  )
    return refuse("invalid byte range", `${path}.index`);
  const { features } = toObject(facet);
  if (!Array.isArray(features)) refuse("missing required value", `${path}.features`);
  for (const feature of Array.isArray(features) ? features : []) {
    const { $type, uri, did, tag } = toObject(feature);
    switch ($type) {
      case "app.bsky.richtext.facet#link":
        if (!/^[a-z][a-z.-]{0,80}:\S+$/i.test(toText(uri))) refuse("invalid uri", `${path}.features.uri`);
        break;
      case "app.bsky.richtext.facet#mention":
        if (!/^did:[a-z]+:[\w.:%-]+$/.test(toText(did))) refuse("invalid did", `${path}.features.did`);
        break;
      case "app.bsky.richtext.facet#tag":
        checkTag(tag, `${path}.features.tag`);
        break;
      default:
        // The union is open: the server accepts features of unknown types, if they name their type.
        if (typeof $type !== "string") refuse("missing required value", `${path}.features.$type`);
    }
  }
  return { byteStart, byteEnd };
}

function checkEmbed(embed: JsonObject, blobs: ReadonlyMap<string, ReceivedFile>): Partial<CheckedPost> {
  switch (embed.$type) {
    case "app.bsky.embed.images": {
      const images = readArray(embed.images, IMAGES_MAX, "embed.images");
      if (images.length === 0) refuse("array too small (minimum 1, got 0)", "embed.images");
      return { files: images.map((item, i) => readImage(toObject(item), blobs, `embed.images[${i}]`)) };
    }
    case "app.bsky.embed.gallery": {
      const items = readArray(embed.items, GALLERY_MAX, "embed.items");
      if (items.length === 0) refuse("array too small (minimum 1, got 0)", "embed.items");
      const files = items.map((value, i) => {
        const item = toObject(value);
        const path = `embed.items[${i}]`;
        if (item.$type !== "app.bsky.embed.gallery#image") refuse("invalid type", `${path}.$type`);
        if (item.aspectRatio === undefined) refuse("missing required value", `${path}.aspectRatio`);
        return readImage(item, blobs, path);
      });
      return { files };
    }
    case "app.bsky.embed.video": {
      checkRatio(embed.aspectRatio, "embed");
      const file = resolveBlob(embed.video, blobs, /^video\/mp4$/, VIDEO_BYTES_MAX, "embed.video");
      const captions = readArray(embed.captions, CAPTIONS.files, "embed.captions").map((entry, i) => {
        const { lang, file: captionsFile } = toObject(entry);
        const path = `embed.captions[${i}]`;
        if (!LANGUAGE.test(toText(lang))) refuse("invalid language", `${path}.lang`);
        const blob = resolveBlob(captionsFile, blobs, /^text\/vtt$/, CAPTIONS.bytes, `${path}.file`);
        return { ...blob, lang: toText(lang) };
      });
      return { files: [{ file, alt: toText(embed.alt) || null }], captions };
    }
    case "app.bsky.embed.external": {
      const { uri, title, description, thumb } = toObject(embed.external);
      if (typeof uri !== "string" || !/^[a-z][a-z.-]*:\S+$/i.test(uri)) refuse("invalid uri", "embed.external.uri");
      if (typeof title !== "string") refuse("missing required value", "embed.external.title");
      if (typeof description !== "string") refuse("missing required value", "embed.external.description");
      const file =
        thumb === undefined ? null : resolveBlob(thumb, blobs, /^image\//, THUMB_BYTES_MAX, "embed.external.thumb");
      const thumbSha256 = file?.sha256 ?? null;
      return { card: { uri: toText(uri), title: toText(title), description: toText(description), thumbSha256 } };
    }
    case "app.bsky.embed.record": {
      const { uri, cid } = toObject(embed.record);
      if (!toText(uri).startsWith("at://") || toText(cid) === "") refuse("missing required value", "embed.record");
      return {};
    }
    case "app.bsky.embed.recordWithMedia":
      return {
        ...checkEmbed(toObject(embed.record), blobs),
        ...checkEmbed(toObject(embed.media), blobs),
      };
    default:
      // This union is open too, but an embed that no app can show is an error here.
      return refuse("unknown type", "embed.$type");
  }
}

function readImage(item: JsonObject, blobs: ReadonlyMap<string, ReceivedFile>, path: string): ShownFile {
  if (typeof item.alt !== "string") refuse("missing required value", `${path}.alt`);
  checkRatio(item.aspectRatio, path);
  const file = resolveBlob(item.image, blobs, /^image\//, IMAGE_BYTES_MAX, `${path}.image`);
  return { file, alt: toText(item.alt) || null };
}

function checkRatio(ratio: Json | undefined, path: string): void {
  if (ratio === undefined) return;
  const { width, height } = toObject(ratio);
  if (!isWhole(width, 1) || !isWhole(height, 1)) refuse("integer too small (minimum 1)", `${path}.aspectRatio`);
}

function resolveBlob(
  ref: Json | undefined,
  blobs: ReadonlyMap<string, ReceivedFile>,
  accept: RegExp,
  bytesMax: number,
  path: string,
): ReceivedFile {
  const { $type, mimeType, size } = toObject(ref);
  const cid = toText(toObject(toObject(ref).ref).$link);
  if ($type !== "blob" || typeof mimeType !== "string" || typeof size !== "number") refuse("invalid blob", path);
  const file = blobs.get(cid);
  if (file === undefined) throw new XrpcError(400, "BlobNotFound", `Could not find blob: ${cid}`);
  if (mimeType !== file.type)
    throw new XrpcError(
      400,
      "InvalidMimeType",
      `Referenced Mimetype does not match stored blob. Expected: ${file.type}, Got: ${toText(mimeType)}`,
    );
  if (size !== file.bytes)
    throw new XrpcError(
      400,
      "InvalidSize",
      `Referenced size does not match stored blob. Expected: ${file.bytes}, Got: ${Number(size)}`,
    );
  if (!accept.test(file.type))
    throw new XrpcError(400, "InvalidMimeType", `Wrong mimetype. It is ${file.type} but must match ${accept.source}`);
  // Newer servers report this while they read the record: InvalidRequest, "blob too big (maximum …, got …)".
  if (file.bytes > bytesMax)
    throw new XrpcError(
      400,
      "BlobTooLarge",
      `This file is too large. It is ${file.bytes} bytes but the maximum size is ${bytesMax} bytes.`,
    );
  return file;
}

/** A reference to a file, as in records. */
export function blobRef(file: ReceivedFile): JsonObject {
  return { $type: "blob", ref: { $link: blobCid(file.sha256) }, mimeType: file.type, size: file.bytes };
}

function isWhole(value: Json | undefined, min: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min;
}

function readArray(value: Json | undefined, max: number, path: string): Json[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return refuse("invalid type (expected array)", path);
  if (value.length > max) refuse(`array too big (maximum ${max}, got ${value.length})`, path);
  return value;
}
