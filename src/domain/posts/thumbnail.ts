// The picture of a video: an image of the library, named by an option of its channel.
import type { PlatformRule } from "./platform-rule.ts";

/** The option on networks that take the image for the video itself, by default. */
export const THUMBNAIL = "thumbnail_media";
/** The names of the option. A network has one of them. */
export const THUMBNAIL_OPTIONS = [THUMBNAIL, "cover_media"] as const;
export type ThumbnailOption = (typeof THUMBNAIL_OPTIONS)[number];

/** The name of the option on a network. */
export const getThumbnailOption = (rule: Pick<PlatformRule, "thumbnail_option">): ThumbnailOption =>
  rule.thumbnail_option ?? THUMBNAIL;

/** The images that an override names, each with its option. */
export const listThumbnails = (
  override: Record<string, unknown> | undefined,
): { option: ThumbnailOption; id: string }[] =>
  THUMBNAIL_OPTIONS.flatMap((option) => {
    const id = override?.[option];
    return typeof id === "string" ? [{ option, id }] : [];
  });

/** The image that an override names, or null. */
export const findThumbnail = (override: Record<string, unknown> | undefined): string | null =>
  listThumbnails(override)[0]?.id ?? null;
