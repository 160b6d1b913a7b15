// Uploads files to the bucket: large videos in chunks, all others in one piece. Retries after a broken connection, and
// deletes all files of an upload that fails.
import { VIDEO_BYTES_MAX } from "../domain/limits.ts";
import { captionsType } from "../domain/media/types.ts";
import { sendChunks } from "./chunks.ts";
import type { Answer, Client } from "./client.ts";
import { NoAnswer } from "./errors.ts";
import { checkUploadUrl, type Progress, type Put, sendUntilStored } from "./put.ts";
import { putBlob } from "./put-blob.ts";

export type { Progress };

/** The facts that an upload request needs. */
export interface FileFacts {
  /** The file's own name; null: unknown. */
  name: string | null;
  contentType: string;
  bytes: number;
  alt: string | null;
  /** The file's tags in the library. */
  tags?: string[] | undefined;
  /** Whether the library keeps the file until it is deleted. */
  keep?: boolean | undefined;
}

type Requested =
  | { is: "whole"; upload: Answer<"media.request-upload"> }
  | { is: "chunked"; upload: Answer<"media.request-chunked-upload"> };

const CLEANUP_MS = 5_000;

/**
 * Uploads files in order and returns their media ids. All uploads are requested before the first byte is sent, so that a
 * refusal costs no upload. On any failure, the files that were already uploaded are deleted.
 */
export async function uploadAll<File extends FileFacts>(
  client: Client,
  files: readonly File[],
  { put, progressOf = () => ({}) }: { put: Put<File>; progressOf?: (file: File) => Progress },
): Promise<string[]> {
  const uploads: Requested[] = [];
  const requestedIds: string[] = [];
  const chunkedIds: string[] = [];
  const discardAll = () =>
    Promise.all([
      discard(
        client,
        requestedIds.filter((id) => !chunkedIds.includes(id)),
      ),
      abort(client, chunkedIds),
    ]);
  const ask = async (file: File) => {
    const requested = await (isChunked(file) ? requestChunked(client, file) : requestWhole(client, file));
    requestedIds.push(requested.upload.media.id);
    if (requested.is === "chunked") chunkedIds.push(requested.upload.media.id);
    if (requested.is === "whole") checkUploadUrl(client.url, requested.upload.upload_url);
    return requested;
  };
  try {
    for (const file of files) uploads.push(await ask(file));
    const usedIds: string[] = [];
    for (const [i, file] of files.entries()) {
      const progress = progressOf(file);
      usedIds.push(await send(client, { file, requested: uploads[i] ?? (await ask(file)), ask, progress, put }));
      progress.arrived?.();
    }
    const unusedIds = requestedIds.filter((id) => !usedIds.includes(id));
    await discard(client, unusedIds);
    return usedIds;
  } catch (error) {
    await discardAll();
    throw error;
  }
}

interface Sending<File> {
  file: File;
  requested: Requested;
  ask: (file: File) => Promise<Requested>;
  progress: Progress;
  put: Put<File>;
}

/** Sends a file until it is uploaded. Returns the id of the upload that succeeded. */
async function send<File extends FileFacts>(
  client: Client,
  { file, requested, ask, progress, put }: Sending<File>,
): Promise<string> {
  if (requested.is === "chunked") {
    await sendChunks(client, { file, upload: requested.upload, progress, put });
    return requested.upload.media.id;
  }
  const range = { offset: 0, length: file.bytes };
  const again = async () => {
    const next = await ask(file);
    if (next.is !== "whole") throw noAddress();
    return next.upload;
  };
  const sent = await sendUntilStored(client, { file, range, first: requested.upload, again, progress, put });
  return sent.target.media.id;
}

/** Whether a file is too large for one piece. */
const isChunked = ({ contentType, bytes }: FileFacts) => bytes > VIDEO_BYTES_MAX && contentType.startsWith("video/");

/** The fields of an upload request that describe the file in the library. */
const describe = ({ alt, name, tags, keep }: FileFacts) => ({
  alt: alt ?? undefined,
  name: name ?? undefined,
  tags,
  keep,
});

async function requestWhole(client: Client, file: FileFacts): Promise<Requested> {
  const { contentType, bytes } = file;
  // Every other type is an image or a video.
  const captions = captionsType(contentType) !== null || undefined;
  const document = (captions === undefined && contentType.startsWith("application/")) || undefined;
  const { body: upload } = await client.call("media.request-upload", {
    body: { content_type: contentType, document, captions, bytes, ...describe(file) },
  });
  // Anything else than an id and an address is not an answer of Crier.
  if (typeof upload.media?.id !== "string" || typeof upload.upload_url !== "string") throw noAddress();
  return { is: "whole", upload };
}

async function requestChunked(client: Client, file: FileFacts): Promise<Requested> {
  const { contentType, bytes } = file;
  const { body: upload } = await client.call("media.request-chunked-upload", {
    body: { content_type: contentType, bytes, ...describe(file) },
  });
  if (typeof upload.media?.id !== "string" || !(upload.chunk_bytes > 0)) throw noAddress();
  return { is: "chunked", upload };
}

const noAddress = () => new NoAnswer("The service gives no address for an upload.", { status: 200, passes: false });

/**
 * Deletes media that no post uses; media that cannot be deleted now expires by itself. Runs even after the client's signal
 * is aborted.
 */
export async function discard(client: Client, ids: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(CLEANUP_MS);
  await Promise.allSettled(ids.map((id) => client.call("media.remove", { params: { id }, signal })));
}

/** Aborts uploads in chunks, and deletes those that are complete. */
async function abort(client: Client, ids: readonly string[]): Promise<void> {
  const signal = AbortSignal.timeout(CLEANUP_MS);
  const ended = await Promise.allSettled(
    ids.map((id) => client.call("media.abort-upload", { params: { id }, signal })),
  );
  await discard(
    client,
    ids.filter((_, i) => ended[i]?.status === "rejected"),
  );
}

/** Uploads one file and returns its media id, for use in `media` of a post. */
export async function upload(
  client: Client,
  blob: Blob,
  options: { name?: string; contentType?: string; alt?: string | null; progress?: Progress } = {},
): Promise<string> {
  const { name = null, contentType = blob.type, alt = null, progress = {} } = options;
  const file = { name, contentType, bytes: blob.size, alt, blob };
  const [id = ""] = await uploadAll(client, [file], { put: putBlob, progressOf: () => progress });
  return id;
}
