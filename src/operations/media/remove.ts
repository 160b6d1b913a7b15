import type { removeMedia as contract } from "../../contract/media.ts";
import { isoInstant } from "../../domain/instant.ts";
import { type Refusal, refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findLogoUses, type LogoUse } from "../../store/media/logos.ts";
import { deleteMedia, mediaByIds } from "../../store/media/media.ts";
import { markDeleted } from "../../store/media/staging.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, type Run } from "../run.ts";

/**
 * Deletes the row first: a file without a row is never published, while a row without its file would be. While an
 * upload to the file can still arrive, its bytes count, and the sweeper deletes the object once more afterwards.
 */
export const removeMedia: Run<typeof contract> = async (ctx, caller, { params }) => {
  const here = inWorkspace(caller);
  const { workspaceId } = here;
  const db = ctx.databaseOf(workspaceId);
  const [use] = await findLogoUses(ctx.accounts, [{ workspaceId, id: params.id }]);
  if (use !== undefined) throw refuseLogo(use);
  const deleted = await deleteMedia(databaseToWrite(ctx, here), workspaceId, params.id);
  if (deleted === undefined) {
    const [stays] = await mediaByIds(db, workspaceId, [params.id]);
    throw stays === undefined ? refuseNotFound("file") : refuse("media_in_use");
  }
  const { row, ended } = deleted;
  if (row.objectKey === null || ctx.bucket === null) return noContent;
  const { objectKey, uploadId } = row;
  // After this the chunks cannot be put together any more.
  if (uploadId !== null) await ctx.bucket.abortChunks([{ objectKey, uploadId }]);
  await ctx.bucket.delete([objectKey]);
  if (ended.length > 0) await markDeleted(db, ended);
  return noContent;
};

/** The refusal that names the page whose logo the file is. */
function refuseLogo({ shownBy, portalId, name, expiresAt }: LogoUse): Refusal {
  switch (shownBy) {
    case "workspace":
      return refuse("media_in_use", {
        message: "The file is the logo of this workspace.",
        hint: "Give the workspace another `brand` with `PATCH /v1/workspaces/:id`, then delete the file.",
      });
    case "link":
      return refuse("media_in_use", {
        message: "The file is the logo of an open connect link.",
        hint: `Delete it after ${isoInstant(expiresAt)}, or once the link has connected an account.`,
      });
    case "portal":
      return refuse("media_in_use", {
        message: `The file is the logo of the portal "${name}".`,
        hint: `Remove the portal \`${portalId}\` or give it another \`brand\`, then delete the file.`,
      });
  }
}
