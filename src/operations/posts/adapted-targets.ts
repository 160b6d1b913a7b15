// Plans the conversions of the files of a post's targets, and checks each target with the planned files.
import { readBytes } from "../../adapters/stored-inspection.ts";
import type { Context } from "../../context.ts";
import { type ImageTraits, readImageTraits } from "../../domain/media/image-traits.ts";
import { HEAD_BYTES } from "../../domain/media/inspect.ts";
import { HEIC } from "../../domain/media/types.ts";
import { adaptTarget, type ImagePlan } from "../../domain/posts/adapt-image.ts";
import { refuse } from "../../domain/refusal.ts";
import type { MediaRow } from "../../store/media/media.ts";
import type { PostBody } from "./read-for-check.ts";
import type { ChannelTarget } from "./targets.ts";

/** The planned conversions of the files of a target; null: a file is published as it is. */
export interface FilePlans {
  plans: (ImagePlan | null)[];
  thumbnailPlan: ImagePlan | null;
}

/** Plans nothing for any target. */
const NO_PLANS: FilePlans = { plans: [], thumbnailPlan: null };

/** Throws `images_not_configured` or `bucket_not_configured` if this deployment cannot adapt files. */
export function refuseWithoutImages(
  { images, bucket }: Context,
  { media_fit: fit }: Pick<PostBody, "media_fit">,
): void {
  if (fit !== "adapt") return;
  if (images === null) throw refuse("images_not_configured", { field: "/media_fit" });
  if (bucket === null) throw refuse("bucket_not_configured", { field: "/media_fit" });
}

/** Types whose headers must be read for more than the size in pixels. A JPEG is never animated or transparent. */
const WITH_TRAITS = ["image/png", "image/webp", "image/gif", HEIC];
/** Files whose beginnings are held in memory at the same time. */
const SIDE_BY_SIDE = 4;

/** The traits of the images among the files, by their ids. A file that cannot be read now has none. */
export async function readTraits({ bucket }: Context, files: MediaRow[]): Promise<Map<string, ImageTraits>> {
  const traits = new Map<string, ImageTraits>();
  const waiting = files.filter(({ contentType }) => WITH_TRAITS.includes(contentType ?? ""));
  const worker = async () => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      const { id, objectKey, etag, bytes, contentType } = row;
      if (bucket === null || objectKey === null || etag === null || bytes === null || contentType === null) continue;
      const length = Math.min(HEAD_BYTES, bytes);
      const body = await bucket.read(objectKey, etag, { offset: 0, length }).catch(() => null);
      if (body !== null) traits.set(id, readImageTraits(contentType, await readBytes(body), length === bytes));
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, waiting.length) }, worker));
  return traits;
}

/** Adds the planned conversions to a target. */
export function planTarget<Target extends ChannelTarget>(
  target: Target,
  traits: ReadonlyMap<string, ImageTraits> | null,
): { target: Target } & FilePlans {
  if (traits === null) return { target, ...NO_PLANS };
  const findTraits = (row: MediaRow | null) => traits.get(row?.id ?? "") ?? null;
  return adaptTarget(target, target.rows.map(findTraits), findTraits(target.thumbnailRow));
}
