// The photos and videos of a call: uploads in the form, URLs that are really fetched, or ids of files sent earlier.
import { randomBytes } from "node:crypto";
import { imageSize } from "image-size";
import type { Ledger, ReceivedFile } from "../ledger.ts";
import type { World } from "../simulator.ts";
import type { Upload } from "./call.ts";
import { BotError } from "./errors.ts";

// Limits of core.telegram.org/bots/api, read 2026-11-20. 1 MB is counted as 2^20 bytes, the larger of two readings.
const MB = 1024 * 1024;
const PHOTO_BYTES_MAX = 10 * MB;
const FILE_BYTES_MAX = 50 * MB;
const PHOTO_BY_URL_BYTES_MAX = 5 * MB;
const FILE_BY_URL_BYTES_MAX = 20 * MB;
const SIDES_SUM_MAX = 10_000;
const RATIO_MAX = 20;
const FETCH_TIMEOUT_MS = 20_000;

export type Kind = "photo" | "video" | "animation" | "document";
export interface SentFile {
  kind: Kind;
  file: ReceivedFile;
  width: number;
  height: number;
  fileId: string;
}

export class Files {
  readonly #sent: Map<string, SentFile>;
  readonly #ledger: Ledger;

  constructor({ ledger, state }: World) {
    this.#sent = state.map("telegram.files");
    this.#ledger = ledger;
  }

  forget(): void {
    this.#sent.clear();
  }

  /** `source` is the field's value: a file id, a URL, or a reference to an upload. It may also be the upload itself. */
  async take(kind: Kind, source: unknown, parts: Map<string, Upload>, field: string): Promise<SentFile> {
    const text = typeof source === "string" ? source : "";
    const upload = parts.get(text.startsWith("attach://") ? text.slice("attach://".length) : field);
    const knownFile = this.#sent.get(text);
    if (upload === undefined && knownFile?.kind === kind) return knownFile;
    const { bytes, type } = upload ?? (await fetchFile(kind, text));
    if (bytes.byteLength === 0) throw new BotError(400, "file must be non-empty");
    if (bytes.byteLength > FILE_BYTES_MAX) throw new BotError(413, "Request Entity Too Large");
    const size = kind === "photo" ? checkPhoto(bytes) : { width: 0, height: 0 };
    const fileId = `AgAC${randomBytes(36).toString("base64url")}`;
    const sentFile = { kind, file: this.#ledger.keep(bytes, type), ...size, fileId };
    this.#sent.set(fileId, sentFile);
    return sentFile;
  }
}

function checkPhoto(bytes: Uint8Array): { width: number; height: number } {
  if (bytes.byteLength > PHOTO_BYTES_MAX) throw new BotError(400, "file is too big");
  let size: { width: number; height: number };
  try {
    size = imageSize(bytes);
  } catch {
    throw new BotError(400, "IMAGE_PROCESS_FAILED");
  }
  const { width, height } = size;
  if (width + height > SIDES_SUM_MAX || Math.max(width, height) / Math.min(width, height) > RATIO_MAX)
    throw new BotError(400, "PHOTO_INVALID_DIMENSIONS");
  return { width, height };
}

/** Fetches a file from a URL, as Telegram does. The size limit is lower than for an upload. */
async function fetchFile(kind: Kind, address: string): Promise<Upload> {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new BotError(400, "wrong file identifier/HTTP URL specified");
  const failed = new BotError(400, "failed to get HTTP URL content");
  const bytesMax = kind === "photo" ? PHOTO_BY_URL_BYTES_MAX : FILE_BY_URL_BYTES_MAX;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    const type = response.headers.get("content-type")?.split(";")[0] ?? "application/octet-stream";
    if (!response.ok) throw failed;
    if (/^(text\/|application\/json)/.test(type)) throw new BotError(400, "wrong type of the web page content");
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.byteLength;
      if (length > bytesMax) throw failed;
      chunks.push(chunk);
    }
    return { bytes: Uint8Array.from(Buffer.concat(chunks)), type };
  } catch (error) {
    throw error instanceof BotError ? error : failed;
  }
}
