import type { MediaKind } from "../posts/platform-rule.ts";

const VIDEO = /\.(?:mp4|m4v|mov|webm)$/i;
const IMAGE = /\.(?:jpe?g|png|webp|gif|hei[cf])$/i;

/** The kind of a file by the extension of its address; null if the extension does not tell. */
export function kindOfAddress(url: string): MediaKind | null {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  return VIDEO.test(path) ? "video" : IMAGE.test(path) ? "image" : null;
}
