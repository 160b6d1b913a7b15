// The archive: posts that have left the database, as files in the bucket.
import { monthOf } from "./instant.ts";

/** What every file of a workspace's archive begins with. */
export const archiveOf = (workspaceId: string) => `archive/${workspaceId}/`;

/**
 * The name of a file of posts that finished in the month of `finishedAt` (epoch milliseconds). `digest`: of its content, so that
 * no other content is ever written over it.
 */
export const archiveKey = (workspaceId: string, finishedAt: number, firstPost: string, digest: string) =>
  `${archiveOf(workspaceId)}${monthOf(finishedAt)}/${firstPost}-${digest.slice(0, 32)}.ndjson`;
