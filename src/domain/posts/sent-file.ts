// The files that each channel of a post gets, as they were checked. With `media_fit: adapt`, some are converted copies.
import type { Adaptation } from "./adapt-image.ts";

export const MEDIA_FITS = ["exact", "adapt"] as const;
/** `exact`: every file goes out as it is. `adapt`: an image that a network would refuse is converted for it. */
export type MediaFit = (typeof MEDIA_FITS)[number];

/**
 * The place of a file in a channel's publication: a part of the thread (0: the post itself), or the thumbnail of its video.
 */
export type FilePlace = number | "thumbnail";

/** A converted copy of an image, in the bucket. */
export interface FileCopy {
  objectKey: string;
  etag: string;
}

export interface SentFile {
  channel: string;
  place: FilePlace;
  media: string;
  contentType: string | null;
  width: number | null;
  height: number | null;
  bytes: number | null;
  /** Empty: the file goes out as it is. */
  adapted: Adaptation[];
  copy: FileCopy | null;
}

export type FileShape = Pick<SentFile, "contentType" | "width" | "height" | "bytes">;

const MB = 1_000_000;
const oneDecimal = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 1 });

/** Describes a file, as in "JPEG, 1440 × 1080 px, 0.3 MB"; unknown properties are left out. */
export function describeFile({ contentType, width, height, bytes }: FileShape): string {
  const parts = [
    (contentType ?? "").replace(/^.*\//, "").toUpperCase(),
    width === null || height === null ? "" : `${width} × ${height} px`,
    bytes === null ? "" : bytes < MB / 10 ? `${oneDecimal(bytes / 1_000)} KB` : `${oneDecimal(bytes / MB)} MB`,
  ];
  return parts.filter((fact) => fact !== "").join(", ");
}

/** The converted copies for one place of a channel, by the ids of their files. */
export function collectCopies(
  files: readonly SentFile[] | null,
  channel: string,
  place: FilePlace,
): Map<string, SentFile & { copy: FileCopy }> {
  const copies = new Map<string, SentFile & { copy: FileCopy }>();
  for (const file of files ?? []) {
    const { copy } = file;
    if (copy !== null && file.channel === channel && file.place === place) copies.set(file.media, { ...file, copy });
  }
  return copies;
}
