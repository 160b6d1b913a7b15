// The placeholder for a file without a preview.
import { HEIC } from "../../domain/media/types.ts";
import type { Media } from "../types.ts";
import { Icon } from "./icons.tsx";

/** Says what the file is and why it is not shown: it has no copy, or most browsers cannot render its format. */
export function NoPreview({
  media,
  isDescribed,
  hasCopy,
}: {
  media: Pick<Media, "content_type" | "kind" | "alt"> | undefined;
  isDescribed: boolean;
  /** Whether the browser tried to render a copy. */
  hasCopy: boolean;
}) {
  const isHeic = media?.content_type === HEIC;
  const label = isHeic ? "HEIC photo" : (media?.kind ?? "file");
  const alt = isDescribed ? null : (media?.alt ?? null);
  const reason = isHeic && hasCopy ? "This browser cannot show HEIC photos." : "There is no preview.";
  return (
    <span className="thumb none" title={alt === null ? reason : `${alt}. ${reason}`}>
      {media?.kind === "image" && <Icon name="image" />}
      {(media?.kind === "document" || media?.kind === "captions") && <Icon name="book" />}
      <span>
        {label}
        {alt !== null && <span className="visually-hidden">: {alt}</span>}
      </span>
    </span>
  );
}
