// Thumbnails of images: made when they are first requested, then stored like other converted copies of their file. They are
// deleted with it and do not count against the plan. Those of videos are uploaded (-> poster.ts).
import { ImageRefused, ImagesUnavailable } from "../../adapters/images.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { convertedKey, thumbnailKey } from "../../domain/media/object-key.ts";
import { refuse } from "../../domain/refusal.ts";
import { insertCopy, readCopies } from "../../store/media/copies.ts";
import { type MediaRow, readStored } from "../../store/media/media.ts";
import { noteCopy, UNNAMED_COPY_LIFE_MS } from "../../store/media/staging.ts";
import { refuseWait } from "../rate-limit.ts";
import { isShown } from "./find-object.ts";

export const TYPE = "image/webp";
/** The longest side in pixels. */
export const SIDE = 320;
export const QUALITY = 80;
/** Far more than any thumbnail of this size has. */
export const BYTES_MAX = 512 * 1024;

type File = Pick<MediaRow, "workspaceId" | "id" | "kind" | "objectKey" | "state" | "etag" | "posterEtag">;

function hasThumbnail({ images, bucket }: Context, { kind, objectKey, state, etag, posterEtag }: File): boolean {
  if (bucket === null || objectKey === null || state === "expired") return false;
  if (kind === "video") return posterEtag !== null && (etag ?? posterEtag) === posterEtag;
  return images !== null && kind === "image";
}

/** The address of a file's thumbnail; null: it has none, or this deployment cannot convert images. */
export function getThumbnailUrl(ctx: Context, row: File): string | null {
  if (!hasThumbnail(ctx, row)) return null;
  return ctx.bucket?.publicUrl(thumbnailKey(row), TYPE, row.etag ?? undefined) ?? null;
}

/**
 * The key of the thumbnail of the file with this content (null: with its current content). Makes the thumbnail if there is none
 * yet. Returns null if the file has no thumbnail. Throws `rate_limited` and `images_unavailable`.
 */
export async function findThumbnail(
  ctx: Context,
  { workspaceId, id, etag }: { workspaceId: string; id: string; etag: string | null },
): Promise<string | null> {
  await ctx.homes.locate(workspaceId);
  const db = ctx.databaseOf(workspaceId);
  const row = await readStored(db, workspaceId, id);
  if (row === undefined || row.objectKey === null || !hasThumbnail(ctx, row)) return null;
  const stored = await ctx.bucket?.stat(row.objectKey);
  if (stored === undefined || stored === null || !(await isShown(ctx, row, stored.uploadedAt))) return null;
  if ((row.etag ?? stored.etag) !== stored.etag || (etag ?? stored.etag) !== stored.etag) return null;
  const conversion = getThumbnailConversion(stored.etag);
  const copies = await readCopies(db, workspaceId, [id]);
  const copy = copies.find((candidate) => candidate.conversion === conversion);
  if (row.kind === "video") return copy?.objectKey ?? null;
  return copy?.objectKey ?? makeThumbnail(ctx, { ...row, objectKey: row.objectKey, etag: stored.etag }, conversion);
}

/** The name of the thumbnail of a content among the copies of its file. */
export const getThumbnailConversion = (etag: string): string => `thumbnail ${etag}`;

async function makeThumbnail(
  ctx: Context,
  row: MediaRow & { objectKey: string; etag: string },
  conversion: string,
): Promise<string | null> {
  const { bucket, images } = ctx;
  const { workspaceId, id, etag } = row;
  if (bucket === null || images === null) return null;
  // Each thumbnail costs a conversion.
  refuseWait(await ctx.limits.take("thumbnail_workspace", workspaceId));
  const db = ctx.databaseOf(workspaceId);
  const objectKey = convertedKey(row, base64Url(ctx.entropy(12)));
  await noteCopy(db, { workspaceId, objectKey }, UNNAMED_COPY_LIFE_MS);
  const original = await bucket.read(row.objectKey, etag);
  if (original === null) return null;
  try {
    const encoded = await images.encode(original, TYPE, { width: SIDE, height: SIDE, quality: QUALITY });
    const stored = await bucket.store(objectKey, encoded, BYTES_MAX, () => TYPE);
    if (stored === null) return null;
    const copy = { ...stored, workspaceId, mediaId: id, conversion, objectKey, bytes: 0, width: SIDE, height: SIDE };
    return (await insertCopy(db, { ...copy, adapted: [] }, etag, null))?.objectKey ?? null;
  } catch (error) {
    if (error instanceof ImageRefused) return null;
    if (!(error instanceof ImagesUnavailable)) throw error;
    throw refuse("images_unavailable", { message: `Images cannot be converted now: ${error.message}.` });
  }
}
