import * as z from "zod";
import { ALT_LENGTH_MAX, MEDIA_LIST_LIMIT_DEFAULT, URL_LENGTH_MAX } from "../domain/limits.ts";
import { MEDIA_STATES } from "../domain/media.ts";
import { MEDIA_KINDS } from "../domain/platform-rule.ts";
import { operation, plain } from "./operation.ts";
import { as, cursor, id, instant, limit, page, pathId, text } from "./shapes.ts";

export const Media = z
  .object({
    id,
    kind: z.enum(MEDIA_KINDS),
    url: z.string(),
    public_url: z.string().nullable(),
    alt: z.string().nullable(),
    content_type: z.string().nullable(),
    bytes: z.int().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    seconds: z.number().nullable(),
    state: z.enum(MEDIA_STATES),
    created_at: instant,
    expires_at: instant.nullable(),
  })
  .meta({ id: "Media" });

const alt = text(ALT_LENGTH_MAX, "alt_too_long").nullable();

export const requestUpload = operation({
  ...plain,
  method: "POST",
  path: "/v1/media/upload-url",
  auth: "key_or_session",
  tag: "Media",
  summary: "An address to upload a file to",
  description:
    "PUT the bytes to `upload_url` with exactly the headers of the answer. The file can be named in a post at once.",
  body: z.strictObject({
    content_type: z.string().max(100),
    bytes: z.int().min(1),
    alt: alt.optional(),
  }),
  result: z.object({
    upload_url: z.string(),
    method: z.literal("PUT"),
    headers: z.object({ "Content-Type": z.string(), "Content-Length": z.string() }),
    expires_at: instant,
    public_url: z.string(),
    media: Media,
  }),
  success: { 201: "The address, for 15 minutes." },
  refusals: ["content_type_not_allowed", "media_too_large", "alt_too_long", "plan_limit", "bucket_not_configured"],
});

export const registerMedia = operation({
  ...plain,
  method: "POST",
  path: "/v1/media",
  auth: "key_or_session",
  tag: "Media",
  summary: "Register a file by its address",
  description: "Nothing is stored; the file is read from its address when a post goes out.",
  body: z.strictObject({
    url: z.string().max(URL_LENGTH_MAX, as("url_not_public")),
    kind: z.enum(MEDIA_KINDS),
    alt: alt.optional(),
    verify: z.boolean().optional().meta({ description: "Check the address once, now." }),
  }),
  result: Media,
  success: { 201: "The file, ready to name in a post." },
  refusals: ["url_not_https", "url_not_public", "url_unreachable", "url_expired", "alt_too_long"],
});

export const listMedia = operation({
  ...plain,
  method: "GET",
  path: "/v1/media",
  auth: "key_or_session",
  tag: "Media",
  summary: "The library, newest first",
  query: z.object({
    limit: limit(MEDIA_LIST_LIMIT_DEFAULT),
    cursor,
    ids: z.string().max(10_000, as("too_many_ids")).optional().meta({ description: "Up to 50 ids, comma-separated." }),
  }),
  result: page("media", Media),
  success: { 200: "A page of the library, or the files of `ids` that exist." },
  refusals: ["unreadable_cursor", "too_many_ids"],
});

export const getMedia = operation({
  ...plain,
  method: "GET",
  path: "/v1/media/:id",
  auth: "key_or_session",
  tag: "Media",
  summary: "One file",
  params: z.object({ id: pathId }),
  result: Media,
  success: { 200: "The file." },
  refusals: ["not_found"],
});

export const describeMedia = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/media/:id",
  auth: "key_or_session",
  tag: "Media",
  summary: "Set or remove a file's alt text",
  params: z.object({ id: pathId }),
  body: z.strictObject({ alt: alt.optional() }),
  result: Media,
  success: { 200: "The file, as it now is." },
  refusals: ["alt_required", "alt_too_long", "not_found"],
});

export const removeMedia = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/media/:id",
  auth: "key_or_session",
  tag: "Media",
  summary: "Delete a file",
  params: z.object({ id: pathId }),
  success: { 204: "The file is gone, and so are its stored bytes." },
  refusals: ["not_found", "media_in_use"],
});
