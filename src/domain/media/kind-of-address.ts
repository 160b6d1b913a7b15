import type { MediaKind } from "../posts/platform-rule.ts";

const VIDEO = /\.(?:mp4|m4v|mov|webm)$/i;
const IMAGE = /\.(?:jpe?g|png|webp|gif|hei[cf])$/i;

/** Of which kind a file is, by the ending of its address; null: it does not say. */
export function kindOfAddress(url: string): MediaKind | null {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  return VIDEO.test(path) ? "video" : IMAGE.test(path) ? "image" : null;
}
