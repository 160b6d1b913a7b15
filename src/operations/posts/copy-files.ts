// Copies files from their addresses when their post begins to wait for approval. The host of a file can replace it at
// any time, even after the approval. The file is therefore fetched once, before reviewers are asked, and the copy is
// judged, shown, approved and published.
import { copyRemote, remoteAddress } from "../../adapters/remote-fetch.ts";
import { inspectCopy } from "../../adapters/stored-inspection.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import { sealedKey } from "../../domain/media/object-key.ts";
import { uploadBytesMax } from "../../domain/media/types.ts";
import { getPlan } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import type { MediaRow } from "../../store/media/media.ts";
import { nameCopy, noteCopy, UNNAMED_COPY_LIFE_MS } from "../../store/media/staging.ts";
import { planLimit } from "../plan-limit.ts";
import { refuseWait } from "../rate-limit.ts";

/** How long copying one file may take. */
const COPY_MAX_MS = 2 * MINUTE_MS;
/** Files that are copied at the same time. Each holds five mebibytes of memory. */
const SIDE_BY_SIDE = 2;

/** Whether a file must be copied before a post that names it can wait. */
export const isAtAddress = ({ objectKey, state }: MediaRow): boolean => objectKey === null && state !== "expired";

export interface CopiedFiles {
  /** The rows with their copies, by id. */
  rows: Map<string, MediaRow>;
  /**
   * The reasons why the others could not be copied, by id. Each text completes a sentence that begins with the file.
   */
  failed: Map<string, string>;
}

class NotCopied extends Error {
  override name = "NotCopied";
}
const failing = (reason: string) => new NotCopied(reason);
const REASONS = {
  gone: failing,
  unreadable: failing,
  uncallable: () => failing("is at an IP address, which cannot be called"),
};

/**
 * Copies the files at addresses. Their rows must be stored already. Throws `bucket_not_configured`, `rate_limited`, and
 * the 402 of a plan that has no room for the bytes.
 */
export async function copyFiles(ctx: Context, workspace: WorkspaceRow, files: MediaRow[]): Promise<CopiedFiles> {
  const copied: CopiedFiles = { rows: new Map(), failed: new Map() };
  const waiting = [...new Map(files.filter(isAtAddress).map((row) => [row.id, row])).values()];
  const worker = async () => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      try {
        copied.rows.set(row.id, await copyFile(ctx, workspace, row));
      } catch (error) {
        if (!(error instanceof NotCopied)) throw error;
        copied.failed.set(row.id, error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, waiting.length) }, worker));
  return copied;
}

async function copyFile(ctx: Context, workspace: WorkspaceRow, row: MediaRow): Promise<MediaRow> {
  const { bucket } = ctx;
  const { workspaceId, kind } = row;
  if (bucket === null) throw refuse("bucket_not_configured");
  const url = row.url ?? "";
  refuseWait(await ctx.takeHost(workspaceId, url));
  const db = ctx.databaseOf(workspaceId);
  const key = sealedKey(row, base64Url(ctx.entropy(12)));
  await noteCopy(db, { workspaceId, objectKey: key }, UNNAMED_COPY_LIFE_MS);
  const bytesMax = uploadBytesMax(kind);
  const address = remoteAddress(ctx.outbound.fetch, url, REASONS);
  const stored = await copyRemote(address, { bucket, key, kind, bytesMax, timeoutMs: COPY_MAX_MS }, REASONS);
  if (stored === null) throw failing(`has more than ${bytesMax} bytes`);
  const { bytes, contentType, etag } = stored;
  const { seconds, ...pixels } = await inspectCopy(bucket, key, stored, REASONS);
  const durationMs = seconds === null ? null : Math.round(seconds * 1000);
  const copy = { objectKey: key, etag, bytes, contentType, ...pixels, durationMs };
  const copiedRow = await nameCopy(db, row, copy, getPlan(workspace.plan).media_bytes);
  if (copiedRow === undefined) throw failing("is not in the library any more");
  if (copiedRow.objectKey !== null) return copiedRow;
  const { stagedBytes } = (await getWorkspace(db, workspaceId)) ?? workspace;
  throw planLimit("media_bytes", workspace.plan, stagedBytes);
}
