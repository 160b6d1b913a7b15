import type { Media } from "../types.ts";

/** The file's name, or what it is. */
export const getFileName = ({ name, alt, kind }: Pick<Media, "name" | "alt" | "kind">): string =>
  name ?? alt ?? UNNAMED[kind];

const UNNAMED = {
  image: "Image without a name",
  video: "Video without a name",
  document: "Document without a name",
  captions: "Captions without a name",
};
