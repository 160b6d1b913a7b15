// The photos and videos of a post in its network's arrangement: a grid, or one after the other.
import type { Media, Rule } from "../types.ts";
import { Thumbnail } from "../ui/thumbnail.tsx";
import type { Look } from "./looks.ts";

interface PreviewFilesProps {
  ids: string[];
  media: Media[];
  rule: Rule | undefined;
  type: string;
  look: Look;
}

/** Looks whose readers swipe from file to file. */
const SWIPED: ReadonlySet<Look> = new Set(["photo", "film"]);

export function PreviewFiles({ ids, media, rule, type, look }: PreviewFilesProps) {
  const isSwiped = SWIPED.has(look) && ids.length > 1;
  return (
    <>
      <ul
        className="look-files"
        data-count={Math.min(ids.length, 5)}
        data-swiped={isSwiped}
        tabIndex={isSwiped ? 0 : undefined}
        aria-label={isSwiped ? `${ids.length} files` : undefined}
      >
        {ids.map((id) => (
          <PreviewFile key={id} media={media.find((file) => file.id === id)} rule={rule} type={type} />
        ))}
      </ul>
      {isSwiped && (
        <span className="look-dots" aria-hidden="true">
          {ids.map((id) => (
            <span key={id} />
          ))}
        </span>
      )}
    </>
  );
}

function PreviewFile({ media, rule, type }: { media: Media | undefined; rule: Rule | undefined; type: string }) {
  const kind = media?.kind === "video" ? "video" : "image";
  const [, ofType] = Object.entries(rule?.per_type ?? {}).find(([name]) => name === type) ?? [];
  const takesAlt = (ofType?.[kind]?.max_alt ?? rule?.[kind]?.max_alt ?? 0) > 0;
  const caption = takesAlt ? (media?.alt ?? "No alt text") : "Alt text isn't shown here";
  const hasAlt = takesAlt && media?.alt !== null && media?.alt !== undefined;
  return (
    <li>
      <figure title={caption}>
        <Thumbnail media={media} isDescribed={takesAlt} />
        <figcaption className="visually-hidden">{caption}</figcaption>
        {hasAlt && (
          <span className="alt-badge" aria-hidden="true">
            ALT
          </span>
        )}
      </figure>
    </li>
  );
}
