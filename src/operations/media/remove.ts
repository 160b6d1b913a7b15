import type { removeMedia as contract } from "../../contract/media.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { deleteMedia, mediaByIds } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { noContent, type Run } from "../run.ts";

/**
 * The row goes first: a file without a row is never published, a row without its file would be. The sweeper deletes the
 * object once more when no upload to it can arrive any more.
 */
export const removeMedia: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const row = await deleteMedia(db, workspaceId, params.id);
  if (row === undefined) {
    const [stays] = await mediaByIds(db, workspaceId, [params.id]);
    throw stays === undefined ? refuseNotFound("file") : refuse("media_in_use");
  }
  if (row.objectKey !== null) await ctx.bucket?.delete([row.objectKey]);
  return noContent;
};
