// Where the bytes of an uploaded file are stored in the bucket, and their public address.
import { fileType } from "./types.ts";

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

/** The place of an image's thumbnail in public addresses. Its bytes are stored under a `convertedKey`. */
export const thumbnailKey = ({ workspaceId, id }: FileOfWorkspace): string => `m/${workspaceId}/thumbnail/${id}`;

/** Whether these folders, between a workspace and a file's id, belong to a `thumbnailKey`. */
export const isThumbnail = ([folder, ...extraSegments]: string[]): boolean =>
  folder === "thumbnail" && extraSegments.length === 0;

/** The key of a copy of a channel's picture, and the path of its public address. `nonce` is unique to this copy. */
export const avatarKey = ({ workspaceId, id }: FileOfWorkspace, nonce: string): string =>
  `m/${workspaceId}/avatar/${nonce}/${id}`;

/** Whether these folders, between a workspace and a channel's id, belong to an `avatarKey`. */
export const isAvatar = ([folder, nonce, ...extraSegments]: string[]): boolean =>
  folder === "avatar" && /^[\w-]{16}$/.test(nonce ?? "") && extraSegments.length === 0;

/** Whether an upload address can still write to the bytes. */
export const isUnsealed = (file: FileOfWorkspace & { objectKey: string | null }): boolean =>
  file.objectKey === uploadKey(file);

/**
 * The path of a file under the address of files. It ends in the extension of the file's type, because some networks accept no
 * other address. `place`: the file's key. `etag`: the only content that is ever served at this path.
 */
export function publicPath(place: string, contentType: string | null, etag: string | null): string {
  const ending = fileType(contentType ?? "")?.ending;
  return [place, ...(etag === null ? [] : [etag]), ...(ending === undefined ? [] : [`file.${ending}`])].join("/");
}

const NAME = /^file\.[a-z0-9]{3,4}$/;
/** The format of R2 and S3; files that were stored in chunks have the number of chunks appended. */
const ETAG = /^[0-9a-f]{32}(?:-\d{1,5})?$/;

/** Parses a path made by `publicPath`. `etag` is the requested content; null if any stored content is accepted. */
export function readPublicPath(path: string): { place: string; etag: string | null } {
  const parts = path.split("/");
  if (NAME.test(parts.at(-1) ?? "")) parts.pop();
  const etag = ETAG.test(parts.at(-1) ?? "") ? (parts.pop() ?? null) : null;
  return { place: parts.join("/"), etag };
}
