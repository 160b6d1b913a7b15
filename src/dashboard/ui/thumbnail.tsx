// A file as a picture.
import { useState } from "react";
import type { Media } from "../types.ts";
import { NoPreview } from "./no-preview.tsx";

/** Loads only our own copies, never a file from another host. A new upload is shown before its state is updated. */
export function Thumbnail({
  media,
  isDescribed = false,
  isSmall = false,
}: {
  media: Media | undefined;
  /** Whether its description appears next to it as text, so that a screen reader does not read it twice. */
  isDescribed?: boolean;
  /** Whether the small copy is enough. */
  isSmall?: boolean;
}) {
  const [missing, setMissing] = useState<Media["state"] | null>(null);
  const isCopy = media?.state === "ready" || media?.state === "awaiting_upload";
  const copyUrl = isCopy ? media.public_url : null;
  if (
    media === undefined ||
    media.kind === "document" ||
    media.kind === "captions" ||
    copyUrl === null ||
    missing === media.state
  ) {
    return <NoPreview media={media} isDescribed={isDescribed} hasCopy={copyUrl !== null} />;
  }
  const url = isSmall && media.state === "ready" ? (media.thumbnail_url ?? copyUrl) : copyUrl;
  // Room for the picture before it is loaded.
  const size = isSmall ? {} : { width: media.width ?? undefined, height: media.height ?? undefined };
  const thumbnailProps = { className: "thumb", src: url, onError: () => setMissing(media.state) };
  return media.kind === "image" ? (
    <img {...thumbnailProps} {...size} alt={isDescribed ? "" : (media.alt ?? "")} loading="lazy" />
  ) : (
    // Safari shows a picture only of a moment that is asked for.
    <video
      {...thumbnailProps}
      src={`${url}#t=0.1`}
      preload="metadata"
      muted
      aria-label={isDescribed ? "Video" : (media.alt ?? "Video")}
    />
  );
}
