// The picture that stands for a video: an image of the library, named by an option of its channel.

/** The option, on every network that takes one. */
export const THUMBNAIL = "thumbnail_media";

/** The image that an override names; null: none. */
export function thumbnailOf(override: Record<string, unknown> | undefined): string | null {
  const id = override?.[THUMBNAIL];
  return typeof id === "string" ? id : null;
}
