import type { abortUpload as contract } from "../../contract/media.ts";
import { refuse } from "../../domain/refusal.ts";
import { deleteMedia } from "../../store/media/media.ts";
import { markDeleted } from "../../store/media/staging.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";
import { readFileInChunks } from "./open-upload.ts";

/** Deletes the row first, so that no chunk is put together for it. */
export const abortUpload: Run<typeof contract> = async (ctx, caller, { params }) => {
  const here = inWorkspace(caller);
  const { workspaceId } = here;
  const { bucket, row, upload } = await readFileInChunks(ctx, workspaceId, params.id);
  if (row.state !== "awaiting_upload") throw refuse("upload_not_open");
  const deleted = await deleteMedia(databaseToWrite(ctx, here), workspaceId, row.id);
  if (deleted === undefined) throw refuse("media_in_use");
  await bucket.abortChunks([upload]);
  await bucket.delete([upload.objectKey]);
  await markDeleted(ctx.databaseOf(workspaceId), deleted.ended);
  return noContent;
};
