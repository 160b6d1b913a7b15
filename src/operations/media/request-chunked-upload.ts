// A large video is uploaded in chunks, each to an address of its own. The bucket has no file before the chunks are put
// together, and after that no address can replace it: the key is one that no address for a whole file was ever signed for.
import type { requestChunkedUpload as contract } from "../../contract/media.ts";
import { base64Url } from "../../domain/encoding.ts";
import { makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { CHUNKED_UPLOAD_LIFE_MS, CHUNKED_VIDEO_BYTES_MAX, UPLOAD_CHUNK_BYTES } from "../../domain/limits.ts";
import { countChunks } from "../../domain/media/chunks.ts";
import { sealedKey, uploadKey } from "../../domain/media/object-key.ts";
import { CHUNKED_TYPES } from "../../domain/media/types.ts";
import { refuse } from "../../domain/refusal.ts";
import { inWorkspace } from "../caller.ts";
import { created, type Run } from "../run.ts";
import { reserveUpload } from "./reserve-upload.ts";
import { mediaView } from "./view.ts";

export const requestChunkedUpload: Run<typeof contract> = async (ctx, caller, { body }) => {
  const here = inWorkspace(caller);
  const { content_type: contentType, bytes } = body;
  if (!CHUNKED_TYPES.includes(contentType)) {
    const hint = `Upload one of ${CHUNKED_TYPES.join(", ")}. Other files: \`POST /v1/media/upload-url\`.`;
    throw refuse("content_type_not_allowed", { field: "/content_type", hint });
  }
  if (bytes > CHUNKED_VIDEO_BYTES_MAX) {
    const message = `At most ${CHUNKED_VIDEO_BYTES_MAX} bytes can be uploaded in chunks.`;
    throw refuse("media_too_large", { field: "/bytes", message });
  }
  const { bucket } = ctx;
  if (bucket === null) throw refuse("bucket_not_configured");
  const { workspaceId } = here;
  const id = makeId("med", ctx.now(), ctx.entropy);
  const objectKey = sealedKey({ workspaceId, id }, base64Url(ctx.entropy(12)));
  const uploadId = await bucket.startChunks(objectKey, contentType);
  const row = await reserveUpload(ctx, here, { ...body, id, kind: "video", objectKey, uploadId }).catch(
    async (error: unknown) => {
      await bucket.abortChunks([{ objectKey, uploadId }]);
      throw error;
    },
  );
  return created({
    media: mediaView(ctx, row),
    public_url: bucket.publicUrl(uploadKey(row), contentType),
    chunk_bytes: UPLOAD_CHUNK_BYTES,
    chunk_count: countChunks(bytes),
    expires_at: isoInstant(row.createdAt + CHUNKED_UPLOAD_LIFE_MS),
  });
};
