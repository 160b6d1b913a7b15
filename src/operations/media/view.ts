import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { Media } from "../../contract/media.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import type { MediaRow } from "../../store/media/media.ts";

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
    created_at: isoInstant(row.createdAt),
    expires_at: isoOrNull(row.expiresAt),
  };
}
