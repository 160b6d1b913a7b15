// The public addresses of uploaded files, which networks and browsers read. An uploaded file is never executed: with any
// content, it is served as its declared type or as a download.
import type { MiddlewareHandler } from "hono";
import type { StoredFile } from "../adapters/bucket.ts";
import type { Context } from "../context.ts";
import { isId } from "../domain/ids.ts";
import { isAvatar, isConverted, isThumbnail, readPublicPath } from "../domain/media/object-key.ts";
import { uploadType } from "../domain/media/types.ts";
import { refuse } from "../domain/refusal.ts";
import { findObject, isShown, type ObjectPlace } from "../operations/media/find-object.ts";
import { findThumbnail } from "../operations/media/thumbnail.ts";
import { type ByteRange, readRange } from "./byte-range.ts";
import type { HttpEnv } from "./mount.ts";

/** How long caches may serve a deleted file. The content at an address that names an etag never changes. */
const CACHE_SECONDS = 300;
/** The picture of an account is public at its network anyway. */
const AVATAR_CACHE = "public, max-age=604800, immutable, no-transform";

/**
 * Answers `GET` and `HEAD` for a file's public address. If files have a host of their own, that host serves only files and
 * no other host serves files.
 */
export const serveFiles: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const { bucket, settings } = c.var.ctx;
  if (bucket === null || settings.bucket === null) return next();
  const media = new URL(settings.bucket.mediaUrl);
  const requestUrl = new URL(c.req.url);
  const apart = media.host !== new URL(settings.baseUrl).host;
  if (apart && requestUrl.host !== media.host) return next();
  const { method } = c.req.raw;
  const place = placeIn(requestUrl.pathname, media.pathname.replace(/\/$/, ""));
  if (!apart && place === null) return next();

  c.header("Content-Security-Policy", "default-src 'none'; sandbox");
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  if (place === null || (method !== "GET" && method !== "HEAD")) throw notFound();
  const { etag: requestedEtag } = place;
  const { ctx } = c.var;
  const object = await resolvePlace(ctx, place);
  const file = object === null ? null : await bucket.stat(object.key);
  const expectedContent = place.is === "thumbnail" ? null : requestedEtag;
  if (object === null || file === null || (expectedContent ?? file.etag) !== file.etag) throw notFound();
  if (!(await isShown(ctx, object.row, file.uploadedAt))) throw notFound();
  const { key } = object;
  const etag = `"${file.etag}"`;
  // Without an etag in the address, the file may have been replaced since.
  c.header("Cache-Control", requestedEtag === null ? "no-cache, no-transform" : place.cacheControl);
  c.header("ETag", etag);
  if (matches(c.req.header("if-none-match"), etag)) return c.body(null, 304);

  c.header("Accept-Ranges", "bytes");
  if (method === "HEAD") return c.body(null, 200, describe(file, null));
  const expectedEtag = c.req.header("if-range") ?? etag;
  const range = expectedEtag === etag ? readRange(c.req.header("range"), file.bytes) : null;
  if (range === "unsatisfiable") {
    c.header("Content-Range", `bytes */${file.bytes}`);
    return c.body(null, 416);
  }
  const body = await bucket.read(key, file.etag, range ?? undefined);
  if (body === null) throw notFound();
  return c.body(body, range === null ? 200 : 206, describe(file, range));
};

/** The 404 is not cached, because a missing file may be uploaded soon. */
const notFound = () => refuse("not_found", { headers: { "Cache-Control": "no-store" } });

/** A file, as its address names it. */
interface Place {
  /** `copy`: a delivery's copy, a converted file or a channel's picture. */
  is: "upload" | "copy" | "thumbnail";
  /** The key in the bucket of a copy. */
  key: string;
  workspaceId: string;
  /** The id of the file or channel. */
  id: string;
  /** The requested content, of a thumbnail that of its file; null for the current content. */
  etag: string | null;
  /** How long the content at an address with its etag may be cached. */
  cacheControl: string;
}

/** The file that a path names; null if the path is not the address of a file. */
function placeIn(path: string, prefix: string): Place | null {
  if (!path.startsWith(`${prefix}/`)) return null;
  const { place: key, etag } = readPublicPath(path.slice(prefix.length + 1));
  const [m, workspaceId = "", ...segments] = key.split("/");
  const id = segments.pop() ?? "";
  if (m !== "m" || !isId("ws", workspaceId)) return null;
  const place = { key, workspaceId, id, etag, cacheControl: `public, max-age=${CACHE_SECONDS}, no-transform` };
  if (isId("ch", id)) return isAvatar(segments) ? { ...place, is: "copy", cacheControl: AVATAR_CACHE } : null;
  if (!isId("med", id)) return null;
  if (segments.length === 0) return { ...place, is: "upload" };
  if (isThumbnail(segments)) return { ...place, is: "thumbnail" };
  const isCopy = (segments.length === 1 && isId("dlv", segments[0] ?? "")) || isConverted(segments);
  return isCopy ? { ...place, is: "copy" } : null;
}

/** The object of a file, and the row of an upload; null if the file is not there. */
async function resolvePlace(ctx: Context, place: Place): Promise<ObjectPlace | null> {
  const { workspaceId, id } = place;
  if (place.is === "upload") return findObject(ctx, workspaceId, id);
  const key = place.is === "copy" ? place.key : await findThumbnail(ctx, place);
  return key === null ? null : { key, row: null };
}

/** Whether an `If-None-Match` header matches the current file. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

/** The headers that describe the body. A file whose type cannot be uploaded is served only as a download. */
function describe(file: StoredFile, range: ByteRange | null): Record<string, string> {
  const { offset, length } = range ?? { offset: 0, length: file.bytes };
  return {
    "Content-Length": String(length),
    ...(range === null ? {} : { "Content-Range": `bytes ${offset}-${offset + length - 1}/${file.bytes}` }),
    ...(uploadType(file.contentType) === null
      ? { "Content-Type": "application/octet-stream", "Content-Disposition": "attachment" }
      : { "Content-Type": file.contentType }),
  };
}
