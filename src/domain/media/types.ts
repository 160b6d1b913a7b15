import { isoInstant } from "../instant.ts";
import { IMAGE_BYTES_MAX, VIDEO_BYTES_MAX } from "../limits.ts";
import type { MediaKind } from "../posts/platform-rule.ts";
import { type Violation, violation } from "../refusal.ts";

export const MEDIA_STATES = ["awaiting_upload", "ready", "registered", "expired"] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));

interface UploadType {
  kind: MediaKind;
  /** Of the name by which a file's address ends. */
  ending: string;
  /** How the first bytes of such a file look: [offset, bytes], all of them. */
  signature: [number, number[]][];
}

/** The photos of phones. No network takes them: they are only ever converted. */
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

export function uploadType(contentType: string): UploadType | null {
  return Object.hasOwn(UPLOAD_TYPES, contentType) ? (UPLOAD_TYPES[contentType] ?? null) : null;
}

/** What a picker of files offers: some systems know HEIC by the ending of a name alone. */
export const PICKED_TYPES = [...Object.keys(UPLOAD_TYPES), ".heic", ".heif"].join(",");

/** Bytes of the largest file of a kind that can be uploaded. */
export function uploadBytesMax(kind: MediaKind): number {
  return kind === "image" ? IMAGE_BYTES_MAX : VIDEO_BYTES_MAX;
}

/** Whether the first bytes of a file (64 are enough) are those of its content type. */
export function looksLike(contentType: string, head: Uint8Array): boolean {
  const type = uploadType(contentType);
  if (type === null || (contentType === HEIC && !isHeic(head))) return false;
  return type.signature.every(([offset, bytes]) => bytes.every((byte, index) => head[offset + index] === byte));
}

/** The brand in a file's first box by which QuickTime's differs from the other videos of that family. */
const QUICKTIME = "qt  ";
/** Brands of pictures and sounds, whose files begin as videos of that family do. */
const NO_VIDEO = /^(hei[cmsx]|hev[cmsx]|mif1|msf1|avi[fs]|M4[ABP] |crx )$/;
/** Brands of single pictures that are coded as HEVC codes them. */
const STILL = /^hei[cmsx]$/;
/** The general brands, which a file may have first: what the picture is coded as stands behind them. */
const GENERAL = /^(?:mif[12]|msf1|hev[cmsx])$/;
/** Where the kind of a Matroska file stands: WebM is one of them. */
const EBML_HEAD_BYTES = 64;

/** The content type, of those that can be uploaded, that a file beginning with `head` (64 bytes) has; null: none. */
export function contentTypeOf(head: Uint8Array): string | null {
  if (isHeic(head)) return HEIC;
  const [type, ...others] = Object.keys(UPLOAD_TYPES).filter((one) => looksLike(one, head));
  const text = String.fromCharCode(...head.subarray(0, EBML_HEAD_BYTES));
  if (type === "video/webm") return text.includes("webm") ? type : null;
  if (type === undefined || others.length === 0) return type ?? null;
  const brand = text.slice(8, 12);
  if (NO_VIDEO.test(brand)) return null;
  return brand === QUICKTIME ? "video/quicktime" : "video/mp4";
}

/** Whether a file beginning with `head` (64 bytes) is a photo as phones take it: of the brand heic, or of a general one that names it. */
function isHeic(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, 64));
  const length = head.byteLength < 4 ? 0 : new DataView(head.buffer, head.byteOffset).getUint32(0);
  if (text.slice(4, 8) !== "ftyp") return false;
  const brand = text.slice(8, 12);
  const others = text.slice(16, length).match(/.{4}/gs) ?? [];
  return STILL.test(brand) || (GENERAL.test(brand) && others.some((other) => STILL.test(other)));
}

const OTHER_HEIC = /^image\/hei[cf](?:-sequence)?$/;

/** The hint for a file whose content type cannot be uploaded. `converts`: this deployment can convert images. */
export function adviseUpload(contentType: string, converts: boolean): string {
  const types = `Upload one of ${uploadTypes(converts).join(", ")}.`;
  if (!OTHER_HEIC.test(contentType)) return types;
  return converts
    ? `A single photo of a phone is ${HEIC}, even if its name ends differently. ${types}`
    : `Export the photo as JPEG: this deployment cannot convert HEIC. ${types}`;
}

/** The types that a deployment takes: without a converter nothing could become of a HEIC. */
export const uploadTypes = (converts: boolean): string[] =>
  Object.keys(UPLOAD_TYPES).filter((type) => converts || type !== HEIC);

/** The refusal of a post that names a file whose stored copy is gone since `expiredAt` (epoch milliseconds). */
export function expiredFile(field: string, expiredAt: number | null | undefined): Violation {
  const day = expiredAt == null ? "an earlier day" : isoInstant(expiredAt).slice(0, 10);
  const message = `The stored copy of this file was deleted on ${day}.`;
  return violation("unknown_media", { field, message, hint: "Upload it again." });
}

/** Whitespace alone is no alt text. */
export function altText(value: string | null | undefined): string | null {
  return value === undefined || value === null || value.trim() === "" ? null : value;
}
