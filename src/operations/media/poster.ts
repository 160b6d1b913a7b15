// The thumbnail of a video: an image that the uploader sends, because nothing here can draw a frame of a video.
import { ImageRefused, ImagesUnavailable } from "../../adapters/images.ts";
import type { Context } from "../../context.ts";
import { base64Url, fromBase64 } from "../../domain/encoding.ts";
import { convertedKey } from "../../domain/media/object-key.ts";
import { detectContentType } from "../../domain/media/types.ts";
import { type Refusal, refuse, refuseNotFound } from "../../domain/refusal.ts";
import { replacePoster } from "../../store/media/copies.ts";
import { type MediaRow, readStored } from "../../store/media/media.ts";
import { noteCopy, UNNAMED_COPY_LIFE_MS } from "../../store/media/staging.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { refuseWait } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { BYTES_MAX, getThumbnailConversion, QUALITY, SIDE, TYPE } from "./thumbnail.ts";

const POSTER_TYPES: readonly (string | null)[] = ["image/jpeg", "image/png", "image/webp"];

const refusePoster = (message: string): Refusal => refuse("invalid_field", { field: "/poster", message });

/** Stores the thumbnail of a video, in place of an earlier one. Returns the file. */
export async function storePoster(
  ctx: Context,
  caller: WorkspaceCaller,
  id: string,
  poster: string,
): Promise<MediaRow> {
  const { workspaceId } = caller;
  const { bucket, images } = ctx;
  const db = ctx.databaseOf(workspaceId);
  const file = await readStored(db, workspaceId, id);
  if (file === undefined) throw refuseNotFound("file");
  const stored = bucket === null || file.objectKey === null ? null : await bucket.stat(file.objectKey);
  if (bucket === null || stored === null || file.kind !== "video" || file.state === "expired")
    throw refusePoster("Only an uploaded video takes a `poster`.");
  if ((file.etag ?? stored.etag) !== stored.etag) throw refuseNotFound("file");
  const image = fromBase64(poster);
  if (!POSTER_TYPES.includes(detectContentType(image.subarray(0, 64))))
    throw refusePoster("`poster` is not a JPEG, PNG or WebP image.");
  if (images === null) throw refuse("images_not_configured");
  // Each thumbnail costs a conversion.
  refuseWait(await ctx.limits.take("thumbnail_workspace", workspaceId));
  const objectKey = convertedKey(file, base64Url(ctx.entropy(12)));
  await noteCopy(db, { workspaceId, objectKey }, UNNAMED_COPY_LIFE_MS);
  try {
    const encoded = await images.encode(new Blob([image]).stream(), TYPE, {
      width: SIDE,
      height: SIDE,
      quality: QUALITY,
    });
    const thumbnail = await bucket.store(objectKey, encoded, BYTES_MAX, () => TYPE);
    if (thumbnail === null) throw refusePoster("`poster` could not be read.");
    const conversion = getThumbnailConversion(stored.etag);
    const copy = { ...thumbnail, workspaceId, mediaId: id, conversion, objectKey, bytes: 0, width: SIDE, height: SIDE };
    const row = await replacePoster(databaseToWrite(ctx, caller), { ...copy, adapted: [] }, stored.etag);
    if (row === undefined) throw refuseNotFound("file");
    return row;
  } catch (error) {
    if (error instanceof ImageRefused) throw refusePoster("`poster` could not be read.");
    if (!(error instanceof ImagesUnavailable)) throw error;
    throw refuse("images_unavailable", { message: `Images cannot be converted now: ${error.message}.` });
  }
}
