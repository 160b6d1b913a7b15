import type { Media } from "../types.ts";

/** The file's name, or what it is. */
export const getFileName = ({ name, alt, kind }: Pick<Media, "name" | "alt" | "kind">): string =>
  name ?? alt ?? (kind === "image" ? "Image without a name" : "Video without a name");

/** "2.4 MB" */
export function formatSize(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return megabytes < 1 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${megabytes.toFixed(1)} MB`;
}
