// Where the bytes of an uploaded file lie in the bucket, and at which address they are found.
import { uploadType } from "./types.ts";

interface FileOfWorkspace {
  workspaceId: string;
  id: string;
}

/** Where an upload arrives. It is also the path of the file's public address, wherever its bytes lie by now. */
export const uploadKey = ({ workspaceId, id }: FileOfWorkspace): string => `m/${workspaceId}/${id}`;

/** A place that no upload address reaches. `nonce`: no other copy of the file has it. */
export const sealedKey = ({ workspaceId, id }: FileOfWorkspace, nonce: string): string =>
  `m/${workspaceId}/sealed/${nonce}/${id}`;

/** Where a converted copy of an image lies, and the path of its public address. `nonce`: no other copy of the file has it. */
export const convertedKey = ({ workspaceId, id }: FileOfWorkspace, nonce: string): string =>
  `m/${workspaceId}/converted/${nonce}/${id}`;

/** Whether these folders, between a workspace and a file's id, are those of `convertedKey`. */
export const isConverted = ([folder, nonce, ...more]: string[]): boolean =>
  folder === "converted" && /^[\w-]{16}$/.test(nonce ?? "") && more.length === 0;

/** Whether the bytes lie where an upload address may still write. */
export const isUnsealed = (file: FileOfWorkspace & { objectKey: string | null }): boolean =>
  file.objectKey === uploadKey(file);

/**
 * Below the address of files: where a file is found, as a name that ends as its type does, because some networks take no other address.
 * `place`: its key. `etag`: only this content is ever found there.
 */
export function publicPath(place: string, contentType: string | null, etag: string | null): string {
  const ending = uploadType(contentType ?? "")?.ending;
  return [place, ...(etag === null ? [] : [etag]), ...(ending === undefined ? [] : [`file.${ending}`])].join("/");
}

const NAME = /^file\.[a-z0-9]{3,4}$/;
/** As R2 and S3 make them; those of files that were stored in parts have their number behind. */
const ETAG = /^[0-9a-f]{32}(?:-\d{1,5})?$/;

/** What `publicPath` made: the key, and the content that is asked for; null: whatever is there. */
export function readPublicPath(path: string): { place: string; etag: string | null } {
  const parts = path.split("/");
  if (NAME.test(parts.at(-1) ?? "")) parts.pop();
  const etag = ETAG.test(parts.at(-1) ?? "") ? (parts.pop() ?? null) : null;
  return { place: parts.join("/"), etag };
}
