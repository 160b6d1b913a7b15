import { isoInstant } from "../instant.ts";
import { CAPTIONS_BYTES_MAX, DOCUMENT_BYTES_MAX, IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from "../limits.ts";
import type { MediaKind } from "../posts/platform-rule.ts";
import { type Violation, violation } from "../refusal.ts";

export const MEDIA_STATES = ["awaiting_upload", "ready", "registered", "expired"] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));

interface UploadType {
  kind: MediaKind;
  /** The extension at the end of a file's address. */
  ending: string;
  /** The first bytes of such a file: [offset, bytes], all of which must match. */
  signature: [number, number[]][];
  /** How the text of such a file begins, for types without fixed first bytes. */
  beginning?: RegExp;
}

/** The format of phone photos. No network accepts it, so such photos are always converted. */
export const HEIC = "image/heic";

/** The content types that can be uploaded. */
export const UPLOAD_TYPES: Record<string, UploadType> = {
  "image/jpeg": { kind: "image", ending: "jpg", signature: [[0, [0xff, 0xd8, 0xff]]] },
  "image/png": { kind: "image", ending: "png", signature: [[0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]]] },
  "image/webp": {
    kind: "image",
    ending: "webp",
    signature: [
      [0, ascii("RIFF")],
      [8, ascii("WEBP")],
    ],
  },
  "image/gif": { kind: "image", ending: "gif", signature: [[0, ascii("GIF8")]] },
  [HEIC]: { kind: "image", ending: "heic", signature: [[4, ascii("ftyp")]] },
  "video/mp4": { kind: "video", ending: "mp4", signature: [[4, ascii("ftyp")]] },
  "video/quicktime": { kind: "video", ending: "mov", signature: [[4, ascii("ftyp")]] },
  "video/webm": { kind: "video", ending: "webm", signature: [[0, [0x1a, 0x45, 0xdf, 0xa3]]] },
};

/** The types that can be uploaded in chunks. */
export const CHUNKED_TYPES = Object.keys(UPLOAD_TYPES).filter((type) => UPLOAD_TYPES[type]?.kind === "video");

const ZIP: UploadType["signature"] = [[0, [0x50, 0x4b, 0x03, 0x04]]];
const OFFICE = "application/vnd.openxmlformats-officedocument";
/** The content types that can be uploaded as documents. The last two are archives, which only their declared type tells apart. */
export const DOCUMENT_TYPES: Record<string, UploadType> = {
  "application/pdf": { kind: "document", ending: "pdf", signature: [[0, ascii("%PDF-")]] },
  [`${OFFICE}.presentationml.presentation`]: { kind: "document", ending: "pptx", signature: ZIP },
  [`${OFFICE}.wordprocessingml.document`]: { kind: "document", ending: "docx", signature: ZIP },
};

/** The content types that can be uploaded as captions. Either may begin with a byte order mark. */
export const CAPTIONS_TYPES: Record<string, UploadType> = {
  // A number, and the times of the first line: there is no standard, and every program writes it like this.
  "application/x-subrip": {
    kind: "captions",
    ending: "srt",
    signature: [],
    beginning: /^(?:\u{feff})?\s*\d+[ \t]*\r?\n\d{1,2}:\d{2}:\d{2}[,.]\d{1,3} *-->/u,
  },
  // The file's signature: w3.org/TR/webvtt1, 4.1, from memory.
  "text/vtt": { kind: "captions", ending: "vtt", signature: [], beginning: /^(?:\u{feff})?WEBVTT(?:[ \t\r\n]|$)/u },
};

export const captionsType = (contentType: string): UploadType | null =>
  Object.hasOwn(CAPTIONS_TYPES, contentType) ? (CAPTIONS_TYPES[contentType] ?? null) : null;

/** The type of captions that begin with `head` (64 bytes are enough); null if it is neither. */
export const detectCaptionsType = (head: Uint8Array): string | null =>
  Object.keys(CAPTIONS_TYPES).find((type) => looksLike(type, head)) ?? null;

export const documentType = (contentType: string): UploadType | null =>
  Object.hasOwn(DOCUMENT_TYPES, contentType) ? (DOCUMENT_TYPES[contentType] ?? null) : null;

/** The type of a stored file of any kind. */
export const fileType = (contentType: string): UploadType | null =>
  uploadType(contentType) ?? documentType(contentType) ?? captionsType(contentType);

export function uploadType(contentType: string): UploadType | null {
  return Object.hasOwn(UPLOAD_TYPES, contentType) ? (UPLOAD_TYPES[contentType] ?? null) : null;
}

/** The types that a file picker offers: some systems recognize HEIC only by its extension. */
export const PICKED_TYPES = [
  ...Object.keys(UPLOAD_TYPES),
  ".heic",
  ".heif",
  ...Object.values(DOCUMENT_TYPES).map(({ ending }) => `.${ending}`),
].join(",");

/** The size of the largest file of a kind that can be uploaded. */
export function uploadBytesMax(kind: MediaKind): number {
  return {
    image: IMAGE_BYTES_MAX,
    video: VIDEO_BYTES_MAX,
    document: DOCUMENT_BYTES_MAX,
    captions: CAPTIONS_BYTES_MAX,
  }[kind];
}

/** Whether the first bytes of a file (64 are enough) match its content type. */
export function looksLike(contentType: string, head: Uint8Array): boolean {
  const type = fileType(contentType);
  if (type === null || (contentType === HEIC && !isHeic(head))) return false;
  const { signature, beginning } = type;
  if (beginning !== undefined && !beginning.test(decodeHead(head))) return false;
  return signature.every(([offset, bytes]) => bytes.every((byte, index) => head[offset + index] === byte));
}

/** The beginning of a text, with its byte order mark. */
const decodeHead = (head: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(head.subarray(0, 64));

/** The brand in a file's first box that distinguishes QuickTime from the other videos of that family. */
const QUICKTIME = "qt  ";
/** Brands of pictures and sounds, whose files begin like videos of that family. */
const NO_VIDEO = /^(hei[cmsx]|hev[cmsx]|mif1|msf1|avi[fs]|M4[ABP] |crx )$/;
/** Brands of single pictures that are coded with HEVC. */
const STILL = /^hei[cmsx]$/;
/** The general brands, which a file may list first; the brand of its coding follows them. */
const GENERAL = /^(?:mif[12]|msf1|hev[cmsx])$/;
/** How much of a Matroska file to search for its document type: WebM is one of them. */
const EBML_HEAD_BYTES = 64;

/** The content type of a file that begins with `head` (64 bytes), if it can be uploaded; otherwise null. */
export function detectContentType(head: Uint8Array): string | null {
  if (isHeic(head)) return HEIC;
  const [type, ...otherTypes] = Object.keys(UPLOAD_TYPES).filter((candidate) => looksLike(candidate, head));
  const text = String.fromCharCode(...head.subarray(0, EBML_HEAD_BYTES));
  if (type === "video/webm") return text.includes("webm") ? type : null;
  if (type === undefined || otherTypes.length === 0) return type ?? null;
  const brand = text.slice(8, 12);
  if (NO_VIDEO.test(brand)) return null;
  return brand === QUICKTIME ? "video/quicktime" : "video/mp4";
}

/**
 * Whether a file that begins with `head` (64 bytes) is a phone photo: of the brand heic, or of a general brand that lists it.
 */
function isHeic(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, 64));
  const length = head.byteLength < 4 ? 0 : new DataView(head.buffer, head.byteOffset).getUint32(0);
  if (text.slice(4, 8) !== "ftyp") return false;
  const brand = text.slice(8, 12);
  const compatibleBrands = text.slice(16, length).match(/.{4}/gs) ?? [];
  return (
    STILL.test(brand) ||
    (GENERAL.test(brand) && compatibleBrands.some((compatibleBrand) => STILL.test(compatibleBrand)))
  );
}

const OTHER_HEIC = /^image\/hei[cf](?:-sequence)?$/;

/** The hint for a file whose content type cannot be uploaded. `converts`: this deployment can convert images. */
export function adviseUpload(contentType: string, converts: boolean): string {
  if (documentType(contentType) !== null) return "Send `document: true` to upload a document.";
  if (captionsType(contentType) !== null) return "Send `captions: true` to upload captions.";
  const types = `Upload one of ${uploadTypes(converts).join(", ")}.`;
  if (!OTHER_HEIC.test(contentType)) return types;
  return converts
    ? `A single phone photo is ${HEIC}, even if its file name ends differently. ${types}`
    : `Export the photo as JPEG: this deployment cannot convert HEIC. ${types}`;
}

/** The types that a deployment accepts: without a converter, a HEIC photo could not be published. */
export const uploadTypes = (converts: boolean): string[] =>
  Object.keys(UPLOAD_TYPES).filter((type) => converts || type !== HEIC);

/** The refusal of a post that names a file whose stored copy is gone since `expiredAt` (epoch milliseconds). */
export function expiredFile(field: string, expiredAt: number | null | undefined): Violation {
  const day = expiredAt == null ? "an earlier day" : isoInstant(expiredAt).slice(0, 10);
  const message = `The stored copy of this file was deleted on ${day}.`;
  return violation("unknown_media", { field, message, hint: "Upload it again." });
}

/** Whitespace alone does not count as alt text. */
export function altText(value: string | null | undefined): string | null {
  return value === undefined || value === null || value.trim() === "" ? null : value;
}
