import type { Media } from "../types.ts";

/** The file's name, or what it is. */
export const getFileName = ({ name, alt, kind }: Pick<Media, "name" | "alt" | "kind">): string =>
  name ?? alt ?? (kind === "image" ? "Image without a name" : "Video without a name");
