import * as z from "zod";
import {
  ALT_LENGTH_MAX,
  CHUNK_ADDRESSES_MAX,
  FILE_NAME_LENGTH_MAX,
  LABEL_LENGTH_MAX,
  MEDIA_LIST_LIMIT_DEFAULT,
  MEDIA_TAGS_MAX,
  POSTER_LENGTH_MAX,
  UPLOAD_CHUNK_BYTES,
  UPLOAD_CHUNKS_MAX,
  URL_LENGTH_MAX,
} from "../domain/limits.ts";
import { CAPTIONS_TYPES, CHUNKED_TYPES, MEDIA_STATES, UPLOAD_TYPES } from "../domain/media/types.ts";
import { MEDIA_KINDS, VISUAL_KINDS } from "../domain/posts/platform-rule.ts";
import { cleanName } from "../domain/visible-name.ts";
import { q } from "./list-posts.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import {
  about,
  addressWarnings,
  buildIdParams,
  cursor,
  id,
  instant,
  limit,
  line,
  page,
  refuseAs,
  text,
} from "./shapes.ts";

const mediaUrl = `https://media.example.com/m/${SAMPLE.workspace}/${SAMPLE.media}`;

const SAMPLE_MEDIA = {
  id: SAMPLE.media,
  kind: "image",
  url: mediaUrl,
  public_url: mediaUrl,
  alt: "The engine, half built, on a wooden table.",
  content_type: "image/jpeg",
  bytes: 482_133,
  width: 1_600,
  height: 1_200,
  seconds: null,
  state: "ready",
  name: "engine.jpg",
  tags: ["product"],
  thumbnail_url: `https://media.example.com/m/${SAMPLE.workspace}/thumbnail/${SAMPLE.media}/file.webp`,
  created_at: SAMPLE.created,
  keep: false,
  expires_at: "2026-11-28T08:30:00.000Z",
} as const;

export const Media = z
  .object({
    id,
    kind: z.enum(MEDIA_KINDS),
    url: z.string().meta(about("The address that the file is read from.")),
    public_url: z.string().nullable().meta(about("The address of Crier's copy; null for a registered file.")),
    alt: z.string().nullable().meta(about("A description for people who cannot see the file.")),
    content_type: z.string().nullable(),
    bytes: z.int().nullable(),
    width: z.int().nullable().meta(about("Pixels; null until known.")),
    height: z.int().nullable(),
    seconds: z.number().nullable().meta(about("Length of a video in seconds; null until known.")),
    state: z.enum(MEDIA_STATES).meta(about("`expired`: Crier's copy is deleted. Upload the file again to use it.")),
    name: z.string().nullable().meta(about("The file's own name.")),
    tags: z.array(z.string()),
    thumbnail_url: z
      .string()
      .nullable()
      .meta(
        about(
          "An uploaded image, or the `poster` of an uploaded video, as WebP of at most 320 pixels; null without one.",
        ),
      ),
    created_at: instant,
    keep: z.boolean().meta(about("Whether Crier's copy is kept.")),
    expires_at: instant.nullable().meta(about("When Crier's copy is deleted; null while it is kept.")),
  })
  .meta({
    id: "Media",
    examples: [SAMPLE_MEDIA],
  });

const name = text(FILE_NAME_LENGTH_MAX)
  .transform((value) => cleanName(value) || null)
  .nullable()
  .meta(about("The file's own name."));
const tag = line(LABEL_LENGTH_MAX);
const tags = z
  .array(tag)
  .max(MEDIA_TAGS_MAX)
  .refine((names) => new Set(names).size === names.length, { error: "A tag is given twice" })
  .meta(about(`Your own tags to find files by. At most ${MEDIA_TAGS_MAX}.`));
const keep = z.boolean().meta(about("true: Crier's copy is kept until you delete it or send false."));
const alt = text(ALT_LENGTH_MAX, "alt_too_long").nullable();

export const requestUpload = operation({
  ...plain,
  method: "POST",
  path: "/v1/media/upload-url",
  auth: "key_or_session",
  ability: "add_media",
  tag: "Media",
  summary: "Create an upload address for a file",
  description:
    "PUT the bytes to `upload_url` with exactly the headers of the answer. The file can be used in a post at once.",
  body: z.strictObject({
    content_type: z
      .string()
      .max(100)
      .meta(
        about(
          `One of ${Object.keys(UPLOAD_TYPES).join(", ")}. HEIC requires \`media_fit: "adapt"\`. With \`document\`: PDF, PPTX or DOCX. With \`captions\`: ${Object.keys(CAPTIONS_TYPES).join(" or ")}.`,
        ),
      ),
    document: z.boolean().optional().meta(about("true: a document, for networks whose rule has `media.documents`.")),
    captions: z.boolean().optional().meta(about("true: captions of a video, for the option `captions`.")),
    bytes: z.int().min(1).meta(about("The exact size of the file in bytes.")),
    alt: alt.optional(),
    name: name.optional(),
    tags: tags.optional(),
    keep: keep.optional(),
  }),
  result: z.object({
    upload_url: z.string().meta({ examples: [`${mediaUrl}?X-Amz-Signature=...`] }),
    method: z.literal("PUT"),
    headers: z
      .object({ "Content-Type": z.string(), "Content-Length": z.string() })
      .meta({ examples: [{ "Content-Type": "image/jpeg", "Content-Length": "482133" }] }),
    expires_at: instant.meta({ examples: ["2026-11-21T08:45:00.000Z"] }),
    public_url: z.string().meta({ examples: [mediaUrl] }),
    media: Media,
  }),
  success: { 201: "The upload address, valid for 15 minutes." },
  refusals: ["content_type_not_allowed", "media_too_large", "alt_too_long", "plan_limit", "bucket_not_configured"],
  examples: {
    "A photo": {
      content_type: "image/jpeg",
      bytes: 482_133,
      alt: "The engine, half built, on a wooden table.",
    },
  },
});

export const requestChunkedUpload = operation({
  ...plain,
  method: "POST",
  path: "/v1/media/chunked-upload",
  auth: "key_or_session",
  ability: "add_media",
  tag: "Media",
  summary: "Begin a multipart upload of a large video",
  description:
    "For videos above the limit of one upload. The file has `chunk_count` chunks of `chunk_bytes` bytes; the last one has the rest. Get their " +
    "addresses with `POST /v1/media/:id/chunks`, and put them together with `POST /v1/media/:id/complete`. `DELETE /v1/media/:id/chunks` aborts the " +
    "upload and frees its bytes, which count from now on. What is not complete at `expires_at` is aborted.",
  body: z.strictObject({
    content_type: z
      .string()
      .max(100)
      .meta(about(`One of ${CHUNKED_TYPES.join(", ")}.`)),
    bytes: z.int().min(1).meta(about("The exact size of the file in bytes.")),
    alt: alt.optional(),
    name: name.optional(),
    tags: tags.optional(),
    keep: keep.optional(),
  }),
  result: z.object({
    media: Media,
    public_url: z.string().meta({ examples: [mediaUrl] }),
    chunk_bytes: z.int().meta({ examples: [UPLOAD_CHUNK_BYTES] }),
    chunk_count: z.int().meta({ examples: [42] }),
    expires_at: instant.meta({ examples: ["2026-11-22T08:30:00.000Z"] }),
  }),
  success: { 201: "The upload, open for a day." },
  refusals: ["content_type_not_allowed", "media_too_large", "alt_too_long", "plan_limit", "bucket_not_configured"],
  examples: {
    "A film": { content_type: "video/mp4", bytes: 1_400_000_000, name: "film.mp4" },
  },
});

export const abortUpload = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/media/:id/chunks",
  auth: "key_or_session",
  ability: "add_media",
  tag: "Media",
  summary: "Abort an upload in chunks",
  description:
    "Drops its chunks, frees its bytes and deletes the file from the library. A complete upload cannot be aborted.",
  params: z.object(buildIdParams(SAMPLE.media)),
  success: { 204: "The upload is aborted." },
  refusals: ["not_found", "upload_not_open", "media_in_use", "bucket_not_configured"],
});

const chunkNumber = z
  .int()
  .min(1, refuseAs("unknown_chunk"))
  .max(UPLOAD_CHUNKS_MAX, refuseAs("unknown_chunk"))
  .meta({ ...about("The position of the chunk in the file, from 1."), examples: [1] });

export const requestChunkAddresses = operation({
  ...plain,
  method: "POST",
  path: "/v1/media/:id/chunks",
  auth: "key_or_session",
  ability: "add_media",
  tag: "Media",
  summary: "Create upload addresses for chunks",
  description:
    "PUT each chunk to its `upload_url` with exactly the headers of the answer, and keep the `ETag` that the bucket answers. A chunk may be sent " +
    "again, also to a new address; the last one counts.",
  params: z.object(buildIdParams(SAMPLE.media)),
  body: z.strictObject({
    numbers: z.array(chunkNumber).min(1).max(CHUNK_ADDRESSES_MAX),
  }),
  result: z.object({
    chunks: z.array(
      z.object({
        number: chunkNumber,
        upload_url: z.string().meta({ examples: [`${mediaUrl}?partNumber=1&uploadId=...`] }),
        method: z.literal("PUT"),
        headers: z.object({ "Content-Length": z.string() }).meta({ examples: [{ "Content-Length": "33554432" }] }),
        expires_at: instant.meta({ examples: ["2026-11-21T08:45:00.000Z"] }),
      }),
    ),
  }),
  success: { 200: "The addresses, valid for 15 minutes." },
  refusals: ["not_found", "upload_not_open", "unknown_chunk", "bucket_not_configured"],
  examples: { "The first two": { numbers: [1, 2] } },
});

export const completeUpload = operation({
  ...plain,
  method: "POST",
  path: "/v1/media/:id/complete",
  auth: "key_or_session",
  ability: "add_media",
  tag: "Media",
  summary: "Complete an upload in chunks",
  description:
    "Stores and inspects the file. Until then there is no file, however many chunks have arrived. May be repeated.",
  params: z.object(buildIdParams(SAMPLE.media)),
  body: z.strictObject({
    chunks: z
      .array(
        z.strictObject({
          number: chunkNumber,
          etag: z
            .string()
            .min(1)
            .max(1_000)
            .meta(about("The `ETag` of the bucket's answer, with or without its quotation marks.")),
        }),
      )
      .min(1)
      .max(UPLOAD_CHUNKS_MAX),
  }),
  result: Media,
  success: { 200: "The file, ready." },
  refusals: [
    "not_found",
    "upload_not_open",
    "unknown_chunk",
    "chunks_incomplete",
    "media_format_not_allowed",
    "unknown_media",
    "bucket_not_configured",
  ],
  examples: {
    "Two chunks": {
      chunks: [
        { number: 1, etag: "bce6bf66aeb76c7040fdd5f4eccb78e6" },
        { number: 2, etag: "8165449fc15bbf43d3b674595cbcc406" },
      ],
    },
  },
});

export const registerMedia = operation({
  ...plain,
  method: "POST",
  path: "/v1/media",
  auth: "key_or_session",
  ability: "add_media",
  tag: "Media",
  summary: "Register a file by its address",
  description: "Nothing is stored. The file is read from its address when a post is published.",
  body: z.strictObject({
    url: z
      .string()
      .max(URL_LENGTH_MAX, refuseAs("url_not_public"))
      .meta(about("A public https address of the file itself.")),
    kind: z.enum(VISUAL_KINDS),
    alt: alt.optional(),
    name: name.optional(),
    tags: tags.optional(),
    keep: keep.optional(),
    verify: z
      .boolean()
      .optional()
      .meta({
        description:
          "Check the address once, now. Its type, bytes, pixels and seconds are recorded as far as its first bytes " +
          "and a video's headers show them, and posts that use the file are checked against them.",
      }),
  }),
  result: Media.extend({ warnings: addressWarnings }).meta({
    id: "RegisteredMedia",
    examples: [{ ...SAMPLE_MEDIA, warnings: [] }],
  }),
  success: { 201: "The file, ready to use in a post." },
  refusals: [
    "url_not_https",
    "url_not_public",
    "url_unreachable",
    "url_expired",
    "content_type_not_allowed",
    "alt_too_long",
  ],
  examples: {
    "A file that you host": { url: "https://www.example.com/engine.mp4", kind: "video", verify: true },
  },
});

export const listMedia = operation({
  ...plain,
  method: "GET",
  path: "/v1/media",
  auth: "key_or_session",
  ability: "read",
  tag: "Media",
  summary: "List the files of the library, newest first",
  query: z.object({
    limit: limit(MEDIA_LIST_LIMIT_DEFAULT),
    cursor,
    ids: z
      .string()
      .max(10_000, refuseAs("too_many_ids"))
      .optional()
      .meta({ description: "Up to 50 ids, comma-separated." }),
    q: q.optional().meta({
      description: "Files that have all of these whole words in name, tags or alt text, in any case.",
      examples: ["engine"],
    }),
    tag: tag.optional().meta({ description: "Files with this tag.", examples: ["product"] }),
    kind: z
      .enum(MEDIA_KINDS)
      .optional()
      .meta({ description: "Documents and captions are listed only by their kind.", examples: ["image"] }),
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
  ability: "read",
  tag: "Media",
  summary: "Get a file",
  params: z.object(buildIdParams(SAMPLE.media)),
  result: Media,
  success: { 200: "The file." },
  refusals: ["not_found"],
});

export const describeMedia = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/media/:id",
  auth: "key_or_session",
  ability: "add_media",
  tag: "Media",
  summary: "Change a file's alt text, name, tags or thumbnail, or keep it",
  description:
    "Fields that are left out stay. Scheduled posts are published with the new alt text, so it is checked against the rules of every channel where the file is scheduled.",
  params: z.object(buildIdParams(SAMPLE.media)),
  body: z.strictObject({
    alt: alt.optional(),
    name: name.optional(),
    tags: tags.optional(),
    keep: keep.optional(),
    poster: z
      .base64()
      .max(POSTER_LENGTH_MAX)
      .optional()
      .meta(
        about(
          "The thumbnail of an uploaded video: a JPEG, PNG or WebP image, for example a frame of it, as base64. It is scaled down to 320 pixels. " +
            "Nothing of it is published.",
        ),
      ),
  }),
  result: Media,
  success: { 200: "The updated file." },
  refusals: [
    "media_in_use",
    "unknown_media",
    "alt_required",
    "alt_too_long",
    "not_found",
    "rate_limited",
    "images_not_configured",
    "images_unavailable",
  ],
  violations: ["alt_too_long"],
  examples: {
    "Describe it": { alt: "The engine, finished, at work." },
    "Take the description away": { alt: null },
    "Keep it": { keep: true },
    "Tag it": { name: "engine.jpg", tags: ["product", "2026"] },
  },
});

export const removeMedia = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/media/:id",
  auth: "key_or_session",
  ability: "delete_media",
  tag: "Media",
  summary: "Delete a file",
  description:
    "An upload in chunks is aborted. Drafts lose the file. A file that a published or upcoming post uses, or that is the logo of an open portal or connect link, is kept: " +
    "409 `media_in_use`, whose `hint` names the portal.",
  params: z.object(buildIdParams(SAMPLE.media)),
  success: { 204: "The file and its stored bytes are deleted." },
  refusals: ["not_found", "media_in_use"],
});
