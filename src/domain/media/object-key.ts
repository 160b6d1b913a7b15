// Where the bytes of an uploaded file lie in the bucket.

interface FileOfWorkspace {
  workspaceId: string;
  id: string;
}

/** Where an upload arrives. It is also the path of the file's public address, wherever its bytes lie by now. */
export const uploadKey = ({ workspaceId, id }: FileOfWorkspace): string => `m/${workspaceId}/${id}`;

/** A place that no upload address reaches. `nonce`: no other copy of the file has it. */
export const sealedKey = ({ workspaceId, id }: FileOfWorkspace, nonce: string): string =>
  `m/${workspaceId}/sealed/${nonce}/${id}`;

/** Whether the bytes lie where an upload address may still write. */
export const isUnsealed = (file: FileOfWorkspace & { objectKey: string | null }): boolean =>
  file.objectKey === uploadKey(file);
