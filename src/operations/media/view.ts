import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { Media } from "../../contract/media.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import { buildTerms } from "../../domain/media/terms.ts";
import { altText } from "../../domain/media/types.ts";
import type { MediaRow } from "../../store/media/media.ts";
import { getThumbnailUrl } from "./thumbnail.ts";

/** The columns of a new file that people gave it. */
export function describeNew(
  kind: MediaRow["kind"],
  {
    alt,
    name = null,
    tags = [],
    keep = false,
  }: {
    alt?: string | null | undefined;
    name?: string | null | undefined;
    tags?: string[] | undefined;
    keep?: boolean | undefined;
  },
): Pick<MediaRow, "alt" | "name" | "tags" | "terms" | "kept"> {
  const described = { alt: altText(alt), name, tags };
  return { ...described, terms: buildTerms({ kind, ...described }), kept: keep };
}

export function mediaView(ctx: Context, row: MediaRow): z.input<typeof Media> {
  const publicUrl = row.objectKey === null ? null : (ctx.bucket?.publicUrl(uploadKey(row), row.contentType) ?? null);
  return {
    id: row.id,
    kind: row.kind,
    url: row.url ?? publicUrl ?? "",
    public_url: publicUrl,
    alt: row.alt,
    content_type: row.contentType,
    bytes: row.bytes,
    width: row.width,
    height: row.height,
    seconds: row.durationMs === null ? null : row.durationMs / 1000,
    state: row.state,
    name: row.name,
    tags: row.tags,
    thumbnail_url: getThumbnailUrl(ctx, row),
    created_at: isoInstant(row.createdAt),
    keep: row.kept,
    expires_at: row.kept ? null : isoOrNull(row.expiresAt),
  };
}
