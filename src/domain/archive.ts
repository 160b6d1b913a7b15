// The archive: files in the bucket with posts that have left the database.
import { formatMonth } from "./instant.ts";

/** The prefix of every file in a workspace's archive. */
export const getArchivePrefix = (workspaceId: string) => `archive/${workspaceId}/`;

/**
 * The name of a file of posts that finished in the month of `finishedAt` (epoch milliseconds). `digest` is that of its
 * content, so that different content never overwrites it.
 */
export const archiveKey = (workspaceId: string, finishedAt: number, firstPost: string, digest: string) =>
  `${getArchivePrefix(workspaceId)}${formatMonth(finishedAt)}/${firstPost}-${digest.slice(0, 32)}.ndjson`;
