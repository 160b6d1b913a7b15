// Where the bytes of an uploaded file are stored in the bucket, and their public address.
import { uploadType } from "./types.ts";

interface FileOfWorkspace {
  workspaceId: string;
  id: string;
}

/** Where an upload arrives. It is also the path of the file's public address, even if its bytes have been moved since. */
export const uploadKey = ({ workspaceId, id }: FileOfWorkspace): string => `m/${workspaceId}/${id}`;

/** A key that no upload address can write to. `nonce` is unique to this copy of the file. */
export const sealedKey = ({ workspaceId, id }: FileOfWorkspace, nonce: string): string =>
  `m/${workspaceId}/sealed/${nonce}/${id}`;

/**
 * The key of a converted copy of an image, and the path of its public address. `nonce` is unique to this copy of the file.
 */
export const convertedKey = ({ workspaceId, id }: FileOfWorkspace, nonce: string): string =>
  `m/${workspaceId}/converted/${nonce}/${id}`;

/** Whether these folders, between a workspace and a file's id, belong to a `convertedKey`. */
export const isConverted = ([folder, nonce, ...extraSegments]: string[]): boolean =>
  folder === "converted" && /^[\w-]{16}$/.test(nonce ?? "") && extraSegments.length === 0;

/** Whether an upload address can still write to the bytes. */
export const isUnsealed = (file: FileOfWorkspace & { objectKey: string | null }): boolean =>
  file.objectKey === uploadKey(file);

/**
 * The path of a file below the address of files. Its name has the extension of its type, because some networks accept no
 * other address. `place`: its key. `etag`: only this content is ever served there.
 */
export function publicPath(place: string, contentType: string | null, etag: string | null): string {
  const ending = uploadType(contentType ?? "")?.ending;
  return [place, ...(etag === null ? [] : [etag]), ...(ending === undefined ? [] : [`file.${ending}`])].join("/");
}

const NAME = /^file\.[a-z0-9]{3,4}$/;
/** The format of R2 and S3; files that were stored in chunks have the number of chunks appended. */
const ETAG = /^[0-9a-f]{32}(?:-\d{1,5})?$/;

/** Reads a path made by `publicPath`: the key, and the requested content; null for whatever content is stored. */
export function readPublicPath(path: string): { place: string; etag: string | null } {
  const parts = path.split("/");
  if (NAME.test(parts.at(-1) ?? "")) parts.pop();
  const etag = ETAG.test(parts.at(-1) ?? "") ? (parts.pop() ?? null) : null;
  return { place: parts.join("/"), etag };
}
