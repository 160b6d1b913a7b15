import type { requestUpload as contract } from "../../contract/media.ts";
import type { Input } from "../../contract/operation.ts";
import { makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { UPLOAD_URL_LIFE_MS } from "../../domain/limits.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import {
  adviseUpload,
  CAPTIONS_TYPES,
  captionsType,
  DOCUMENT_TYPES,
  documentType,
  uploadBytesMax,
  uploadType,
  uploadTypes,
} from "../../domain/media/types.ts";
import { getPlan } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { insertUpload, type MediaRow } from "../../store/media/media.ts";
import { inWorkspace, type WorkspaceCaller } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { limitMedia } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { created, type Run } from "../run.ts";
import { describeNew, mediaView } from "./view.ts";

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

/** The type of an upload among those of its kind. `isNamed`: the call names the kind, because others do not expect it. */
function findUploadType(
  { document, captions, content_type: contentType }: Input<typeof contract>["body"],
  converts: boolean,
) {
  if (captions) return { type: captionsType(contentType), types: Object.keys(CAPTIONS_TYPES), isNamed: true };
  if (document) return { type: documentType(contentType), types: Object.keys(DOCUMENT_TYPES), isNamed: true };
  return { type: uploadType(contentType), types: uploadTypes(converts), isNamed: false };
}

/** The bytes go straight to the bucket and never pass through this Worker. */
export const requestUpload: Run<typeof contract> = async (ctx, caller, { body }) => {
  const here = inWorkspace(caller);
  const { workspaceId } = here;
  const converts = ctx.images !== null;
  const { content_type: contentType } = body;
  const { type, types, isNamed } = findUploadType(body, converts);
  if (type === null || !types.includes(contentType)) {
    const hint = isNamed ? `Upload one of ${types.join(", ")}.` : adviseUpload(contentType, converts);
    throw refuse("content_type_not_allowed", { field: "/content_type", hint });
  }
  const bytesMax = uploadBytesMax(type.kind);
  if (body.bytes > bytesMax) {
    throw refuse("media_too_large", {
      field: "/bytes",
      message: `At most ${bytesMax} bytes can be uploaded as ${type.kind}.`,
    });
  }
  const { bucket } = ctx;
  if (bucket === null) throw refuse("bucket_not_configured");
  await limitMedia(ctx, workspaceId);
  const db = ctx.databaseOf(workspaceId);
  const workspace = await getWorkspace(db, workspaceId);
  if (workspace === undefined) throw refuse("unauthorized");
  const now = ctx.now();
  const id = makeId("med", now, ctx.entropy);
  const objectKey = uploadKey({ workspaceId, id });
  const row = await insertUpload(
    databaseToWrite(ctx, here),
    {
      workspaceId,
      id,
      kind: type.kind,
      objectKey,
      contentType: body.content_type,
      bytes: body.bytes,
      ...describeNew(type.kind, body),
      createdAt: now,
      ...describeUploader(here),
    },
    getPlan(workspace.plan).media_bytes,
  );
  if (row === undefined) {
    // Other uploads may have used the room since it was read.
    const { stagedBytes } = (await getWorkspace(ctx.accounts, workspaceId)) ?? workspace;
    throw planLimit("media_bytes", workspace.plan, stagedBytes);
  }
  return created({
    upload_url: await bucket.presignPut(objectKey, body.content_type, body.bytes),
    method: "PUT",
    headers: { "Content-Type": body.content_type, "Content-Length": String(body.bytes) },
    expires_at: isoInstant(now + UPLOAD_URL_LIFE_MS),
    public_url: bucket.publicUrl(objectKey, body.content_type),
    media: mediaView(ctx, row),
  });
};
