// The thumbnail of a video: an image of the library, named by an option of its channel.

/** The name of the option, on every network that has it. */
export const THUMBNAIL = "thumbnail_media";

/** The image that an override names, or null. */
export function findThumbnail(override: Record<string, unknown> | undefined): string | null {
  const id = override?.[THUMBNAIL];
  return typeof id === "string" ? id : null;
}
