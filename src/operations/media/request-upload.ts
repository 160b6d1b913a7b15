import type { requestUpload as contract } from "../../contract/media.ts";
import type { Input } from "../../contract/operation.ts";
import { makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { CHUNKED_VIDEO_BYTES_MAX, UPLOAD_URL_LIFE_MS } from "../../domain/limits.ts";
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
import { refuse } from "../../domain/refusal.ts";
import { inWorkspace } from "../caller.ts";
import { created, type Run } from "../run.ts";
import { reserveUpload } from "./reserve-upload.ts";
import { mediaView } from "./view.ts";

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
      ...(type.kind === "video" && {
        hint: `Upload videos of up to ${CHUNKED_VIDEO_BYTES_MAX} bytes in chunks: \`POST /v1/media/chunked-upload\`.`,
      }),
    });
  }
  const { bucket } = ctx;
  if (bucket === null) throw refuse("bucket_not_configured");
  const id = makeId("med", ctx.now(), ctx.entropy);
  const objectKey = uploadKey({ workspaceId: here.workspaceId, id });
  const row = await reserveUpload(ctx, here, { ...body, id, kind: type.kind, objectKey, uploadId: null });
  return created({
    upload_url: await bucket.presignPut(objectKey, body.content_type, body.bytes),
    method: "PUT",
    headers: { "Content-Type": body.content_type, "Content-Length": String(body.bytes) },
    expires_at: isoInstant(row.createdAt + UPLOAD_URL_LIFE_MS),
    public_url: bucket.publicUrl(objectKey, body.content_type),
    media: mediaView(ctx, row),
  });
};
