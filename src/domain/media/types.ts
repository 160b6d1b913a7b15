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
  "video/mp4": { kind: "video", ending: "mp4", signature: [[4, ascii("ftyp")]] },
  "video/quicktime": { kind: "video", ending: "mov", signature: [[4, ascii("ftyp")]] },
  "video/webm": { kind: "video", ending: "webm", signature: [[0, [0x1a, 0x45, 0xdf, 0xa3]]] },
};

export function uploadType(contentType: string): UploadType | null {
  return Object.hasOwn(UPLOAD_TYPES, contentType) ? (UPLOAD_TYPES[contentType] ?? null) : null;
}

/** Bytes of the largest file of a kind that can be uploaded. */
export function uploadBytesMax(kind: MediaKind): number {
  return kind === "image" ? IMAGE_BYTES_MAX : VIDEO_BYTES_MAX;
}

/** Whether the first bytes of a file (64 are enough) are those of its content type. */
export function looksLike(contentType: string, head: Uint8Array): boolean {
  const type = uploadType(contentType);
  if (type === null) return false;
  return type.signature.every(([offset, bytes]) => bytes.every((byte, index) => head[offset + index] === byte));
}

/** The brand in a file's first box by which QuickTime's differs from the other videos of that family. */
const QUICKTIME = "qt  ";
/** Brands of pictures and sounds, whose files begin as videos of that family do. */
const NO_VIDEO = /^(hei[cmsx]|hev[cmsx]|mif1|msf1|avi[fs]|M4[ABP] |crx )$/;
/** Where the kind of a Matroska file stands: WebM is one of them. */
const EBML_HEAD_BYTES = 64;

/** The content type, of those that can be uploaded, that a file beginning with `head` (64 bytes) has; null: none. */
export function contentTypeOf(head: Uint8Array): string | null {
  const [type, ...others] = Object.keys(UPLOAD_TYPES).filter((one) => looksLike(one, head));
  const text = String.fromCharCode(...head.subarray(0, EBML_HEAD_BYTES));
  if (type === "video/webm") return text.includes("webm") ? type : null;
  if (type === undefined || others.length === 0) return type ?? null;
  const brand = text.slice(8, 12);
  if (NO_VIDEO.test(brand)) return null;
  return brand === QUICKTIME ? "video/quicktime" : "video/mp4";
}

const HEIC_TYPE = /^image\/hei[cf](?:-sequence)?$/;
const HEIC_BRAND = /^(?:hei[cmsx]|hev[cmsx]|mif1|msf1)$/;

/** Whether a file beginning with `head` is a photo as iPhones take it by default. */
export const isHeic = (head: Uint8Array): boolean => {
  const text = String.fromCharCode(...head.subarray(4, 12));
  return text.startsWith("ftyp") && HEIC_BRAND.test(text.slice(4));
};

/** The hint for a file whose content type cannot be uploaded. */
export function adviseUpload(contentType: string): string {
  const types = `Upload one of ${Object.keys(UPLOAD_TYPES).join(", ")}.`;
  return HEIC_TYPE.test(contentType) ? `Export the photo as JPEG: HEIC is not accepted. ${types}` : types;
}

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
