// Local files that a post names. Their type is detected from their content, not from their name.
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import {
  CAPTIONS_TYPES,
  DOCUMENT_TYPES,
  detectCaptionsType,
  detectContentType,
  fileType,
  looksLike,
  UPLOAD_TYPES,
} from "../src/domain/media/types.ts";
import type { MediaKind } from "../src/domain/posts/platform-rule.ts";
import { isCode } from "./api/config.ts";
import { usage } from "./failure.ts";
import { bytesText } from "./output/format.ts";

export interface LocalFile {
  path: string;
  /** The file name without folders. */
  name: string;
  kind: MediaKind;
  contentType: string;
  bytes: number;
  /** Pixels and seconds from the file; null if the file does not say. */
  width: number | null;
  height: number | null;
  seconds: number | null;
  alt: string | null;
  /** The file's tags in the library. */
  tags?: string[];
  /** Whether the library keeps the file until it is deleted. */
  keep?: boolean;
  /** Epoch milliseconds. */
  modifiedAt: number;
}

/** Reads the facts of a file. Throws if the file cannot be read or its type cannot be uploaded. */
export async function inspectFile(path: string, alt: string | null): Promise<LocalFile> {
  const openFile = await opened(path);
  try {
    const stat = await openFile.stat();
    if (!stat.isFile()) throw usage(`${path} is ${stat.isDirectory() ? "a folder" : "not a regular file"}.`);
    if (stat.size === 0) throw usage(`${path} is empty.`);
    const read = async (offset: number, length: number) => {
      const buffer = new Uint8Array(length);
      const { bytesRead } = await openFile.read(buffer, 0, length, offset);
      return buffer.subarray(0, bytesRead);
    };
    const head = await read(0, Math.min(64, stat.size));
    const contentType = detectContentType(head) ?? detectDocumentType(head, path) ?? detectCaptionsType(head);
    const kind = contentType === null ? undefined : fileType(contentType)?.kind;
    if (contentType === null || kind === undefined) {
      throw usage(
        `${path} cannot be uploaded: its type is not supported.`,
        `supported: ${[UPLOAD_TYPES, DOCUMENT_TYPES, CAPTIONS_TYPES].flatMap((types) => Object.keys(types)).join(", ")}`,
      );
    }
    const { inspectMedia, NO_FACTS } = await import("../src/domain/media/inspect.ts");
    const facts = (await inspectMedia(contentType, stat.size, read)) ?? NO_FACTS;
    return { path, name: basename(path), kind, contentType, bytes: stat.size, ...facts, alt, modifiedAt: stat.mtimeMs };
  } finally {
    await openFile.close();
  }
}

/** A document's type. Office documents are archives, which only the ending of their names tells apart. */
function detectDocumentType(head: Uint8Array, path: string): string | null {
  const types = Object.entries(DOCUMENT_TYPES).filter(([type]) => looksLike(type, head));
  const ending = path.toLowerCase().split(".").at(-1);
  return types.find(([, { ending: own }]) => types.length === 1 || own === ending)?.[0] ?? null;
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (isCode(error, "ENOENT")) throw usage(`File not found: ${path}.`);
    if (isCode(error, "EACCES") || isCode(error, "EPERM")) throw usage(`${path} cannot be read: permission denied.`);
    throw usage(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** The description of a file for a dry run. */
export function toPreview({ kind, contentType, bytes, width, height, seconds, alt }: LocalFile) {
  return {
    kind,
    type: contentType,
    bytes,
    width: width ?? undefined,
    height: height ?? undefined,
    seconds: seconds ?? undefined,
    alt: alt ?? undefined,
  };
}

/** `image/jpeg, 482 kB, 1600 × 1200`. */
export function factsText({ contentType, bytes, width, height, seconds }: LocalFile): string {
  const size = width === null || height === null ? null : `${width} × ${height}`;
  const length = seconds === null ? null : `${Number(seconds.toFixed(1))} s`;
  return [contentType, bytesText(bytes), size, length].filter((fact) => fact !== null).join(", ");
}

/** Pairs alt texts with files. Throws if the pairing is ambiguous. */
export function pairAlts(typed: { name: string; value: string }[]): { path: string; alt: string | null }[] {
  const fileFlags = typed.filter(({ name }) => name === "file" || name === "alt");
  const files = fileFlags.filter(({ name }) => name === "file").map(({ value }) => value);
  const alts = fileFlags.filter(({ name }) => name === "alt").map(({ value }) => value);
  const hint =
    "put each --alt directly after its --file, or give one for every --file; use --alt '' for a file without alt text";
  if (alts.length > files.length)
    throw usage(`There are ${alts.length} --alt flags but ${files.length} --file flags.`, hint);
  const lastFile = fileFlags.map(({ name }) => name).lastIndexOf("file");
  const firstAlt = fileFlags.findIndex(({ name }) => name === "alt");
  if (alts.length === files.length && firstAlt > lastFile) {
    return files.map((path, i) => ({ path, alt: alts[i] || null }));
  }
  if (files.length > 1 && alts.length > 0 && firstAlt > lastFile) {
    throw usage(`There are ${files.length} --file flags, and it is not clear which of them --alt describes.`, hint);
  }
  const pairs: { path: string; alt: string | null; hasAlt: boolean }[] = [];
  for (const { name, value } of fileFlags) {
    const last = pairs.at(-1);
    if (name === "file") pairs.push({ path: value, alt: null, hasAlt: false });
    else if (last === undefined || last.hasAlt) throw usage(`--alt '${value}' does not follow a --file.`, hint);
    else Object.assign(last, { alt: value || null, hasAlt: true });
  }
  return pairs.map(({ path, alt }) => ({ path, alt }));
}
