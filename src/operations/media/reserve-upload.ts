import type { Context } from "../../context.ts";
import { getPlan } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { insertUpload, type MediaRow } from "../../store/media/media.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { limitMedia } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { describeNew } from "./view.ts";

/**
 * The key or user, and a user's session or grant, whose rights the upload depends on, as `ended_rights` names them. The
 * upload address may outlive these rights; a file that arrives after they have ended is not used.
 */
function describeUploader(caller: WorkspaceCaller): Pick<MediaRow, "uploader" | "uploaderCredential"> {
  const { workspaceId } = caller;
  if ("keyId" in caller) return { uploader: `key:${workspaceId}:${caller.keyId}`, uploaderCredential: null };
  const uploader = `member:${workspaceId}:${caller.userId}`;
  return { uploader, uploaderCredential: describeCredential(caller) };
}

function describeCredential(caller: Exclude<WorkspaceCaller, { keyId: string }>): string | null {
  switch (caller.kind) {
    case "session":
      return `session:${caller.tokenHash}`;
    case "grant":
      return `grant:${caller.grantId}`;
    case "member":
      return null;
  }
}

interface Announced extends Partial<Parameters<typeof describeNew>[1]> {
  id: string;
  kind: MediaRow["kind"];
  content_type: string;
  bytes: number;
  objectKey: string;
  uploadId: string | null;
}

/** Stores the row of a file that is to be uploaded, and counts its bytes. Throws `plan_limit` and `rate_limited`. */
export async function reserveUpload(ctx: Context, here: WorkspaceCaller, file: Announced): Promise<MediaRow> {
  const { workspaceId } = here;
  await limitMedia(ctx, workspaceId);
  const workspace = await getWorkspace(ctx.databaseOf(workspaceId), workspaceId);
  if (workspace === undefined) throw refuse("unauthorized");
  const { id, kind, content_type: contentType, bytes, objectKey, uploadId } = file;
  const row = await insertUpload(
    databaseToWrite(ctx, here),
    {
      ...{ workspaceId, id, kind, objectKey, uploadId, contentType, bytes },
      ...describeNew(kind, file),
      createdAt: ctx.now(),
      ...describeUploader(here),
    },
    getPlan(workspace.plan).media_bytes,
  );
  if (row !== undefined) return row;
  // Other uploads may have used the room since it was read.
  const { stagedBytes } = (await getWorkspace(ctx.accounts, workspaceId)) ?? workspace;
  throw planLimit("media_bytes", workspace.plan, stagedBytes);
}
