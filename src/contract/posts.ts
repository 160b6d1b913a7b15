import * as z from "zod";
import { DELIVERY_STATUSES } from "../domain/delivery.ts";
import {
  CHANNELS_PER_POST_MAX,
  LIST_LIMIT_DEFAULT,
  MEDIA_PER_POST_MAX,
  METADATA_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  TEXT_LENGTH_MAX,
} from "../domain/limits.ts";
import { GUARANTEES, MEDIA_KINDS, POST_TYPES, TEXT_UNITS } from "../domain/platform-rule.ts";
import { POST_STATUSES } from "../domain/post.ts";
import { WARNINGS } from "../domain/warning.ts";
import { operation, plain } from "./operation.ts";
import { as, cursor, id, instant, limit, page, pathId, text } from "./shapes.ts";

const postText = text(TEXT_LENGTH_MAX);
const mediaIds = z.array(id).max(MEDIA_PER_POST_MAX);

const Override = z.looseObject({ text: postText.optional(), media: mediaIds.optional() }).meta({
  id: "Override",
  description: "What differs on one channel: `text`, `media`, and the network's own options.",
});

const Warning = z
  .object({ code: z.enum(WARNINGS), channel: id.optional(), message: z.string() })
  .meta({ id: "Warning" });

export const Delivery = z
  .object({
    id,
    channel: id,
    platform: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.int(),
    next_attempt_at: instant.nullable(),
    url: z.string().nullable(),
    url_state: z.enum(["none", "pending", "not_reported"]),
    error: z.string().nullable(),
    action: z.string().nullable(),
    hint: z.string().nullable(),
    guarantee: z.enum(GUARANTEES),
    scheduled_for: instant.nullable(),
    started_at: instant.nullable(),
    published_at: instant.nullable(),
    checked_at: instant.nullable(),
  })
  .meta({ id: "Delivery" });

export const Post = z
  .object({
    id,
    status: z.enum(POST_STATUSES),
    text: z.string(),
    media: z.array(id),
    channels: z.array(id),
    publish_at: instant.nullable(),
    timezone: z.string(),
    publish_at_local: z.string().nullable().meta({ description: "The same instant on the workspace's wall clock." }),
    overrides: z.record(z.string(), Override),
    draft: z.boolean(),
    post_type: z.enum(POST_TYPES).nullable(),
    deliveries: z.array(Delivery),
    metadata: z.record(z.string(), z.string()),
    created_at: instant,
    updated_at: instant,
    published_at: instant.nullable(),
    warnings: z.array(Warning),
  })
  .meta({ id: "Post" });

export const DryRun = z
  .object({
    dry_run: z.literal(true),
    valid: z.literal(true),
    status: z.enum(POST_STATUSES),
    publish_at: instant.nullable(),
    publish_at_local: z.string().nullable(),
    deliveries: z.array(
      z.object({
        channel: id,
        platform: z.string(),
        text: z.string(),
        text_length: z.int(),
        text_limit: z.int(),
        text_unit: z.enum(TEXT_UNITS),
        post_type: z.enum(POST_TYPES),
        media: z.int(),
        estimated_cost_usd: z.number().nullable(),
      }),
    ),
    counts: z.object({ posts_used: z.int(), posts_allowed: z.int().nullable() }),
    warnings: z.array(Warning),
  })
  .meta({ id: "DryRun" });

const MediaPreview = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  type: z.string().max(100).optional(),
  bytes: z.int().min(0).optional(),
  width: z.int().min(1).optional(),
  height: z.int().min(1).optional(),
  seconds: z.number().min(0).optional(),
});

const metadata = z
  .record(z.string().min(1).max(METADATA_VALUE_LENGTH_MAX), text(METADATA_VALUE_LENGTH_MAX))
  .refine((map) => Object.keys(map).length <= METADATA_KEYS_MAX, as("invalid_field"));

const REFUSALS = [
  "text_required",
  "channels_required",
  "unknown_channel",
  "duplicate_channel",
  "unknown_media",
  "duplicate_media",
  "channel_not_connected",
  "channel_needs_reconnect",
  "text_too_long",
  "too_many_text_parts",
  "character_not_allowed",
  "too_many_images",
  "too_many_videos",
  "mixed_media_not_allowed",
  "media_required",
  "media_format_not_allowed",
  "media_too_large",
  "media_too_small",
  "media_too_long",
  "media_too_short",
  "alt_too_long",
  "media_dimensions_not_allowed",
  "post_type_not_offered",
  "post_type_media_mismatch",
  "option_required",
  "invalid_option",
  "override_for_unknown_channel",
  "draft_not_boolean",
  "publish_at_invalid",
  "publish_at_in_past",
  "publish_at_too_far",
  "publish_at_in_dst_gap",
  "plan_limit",
] as const;

export const createPost = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts",
  auth: "key_or_session",
  tag: "Posts",
  summary: "Publish a post now or later, or save it as a draft",
  description:
    "One delivery per channel. A post that breaks a rule is refused with all `violations` at once and nothing is written. " +
    "`dry_run: true` makes the same checks and writes nothing.",
  body: z.strictObject({
    channels: z.array(id).max(CHANNELS_PER_POST_MAX).optional(),
    text: postText.optional(),
    media: mediaIds.optional(),
    publish_at: z
      .string(as("publish_at_invalid"))
      .max(100, as("publish_at_invalid"))
      .nullish()
      .meta({
        description: "ISO 8601; without an offset it is read in the workspace's zone. Leave it out to publish now.",
        examples: ["2026-12-01T09:00:00Z"],
      }),
    overrides: z.record(id, Override).optional(),
    draft: z.boolean(as("draft_not_boolean")).optional(),
    post_type: z.enum(POST_TYPES).nullish(),
    dry_run: z.boolean().optional(),
    media_preview: z.array(MediaPreview).max(MEDIA_PER_POST_MAX).optional(),
    metadata: metadata.optional(),
  }),
  result: z.union([Post, DryRun]),
  success: {
    201: "The post, with a delivery per channel.",
    200: "A repeat of the same key, or the result of a dry run.",
  },
  refusals: [...REFUSALS, "media_preview_needs_dry_run", "idempotency_key_invalid", "idempotency_key_reused"],
  idempotent: true,
});

export const listPosts = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts",
  auth: "key_or_session",
  tag: "Posts",
  summary: "Recent posts, newest first",
  query: z.object({
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
    status: z.enum(POST_STATUSES, as("unknown_status")).optional(),
  }),
  result: page("posts", Post),
  success: { 200: "A page. Without `status` drafts are left out: `status=draft` is the drawer." },
  refusals: ["unknown_status", "unreadable_cursor"],
});

export const getPost = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts/:id",
  auth: "key_or_session",
  tag: "Posts",
  summary: "One post with its deliveries",
  params: z.object({ id: pathId }),
  result: Post,
  success: { 200: "The post." },
  refusals: ["not_found"],
});

export const removePost = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/posts/:id",
  auth: "key_or_session",
  tag: "Posts",
  summary: "Cancel an unfinished post, or discard a draft",
  description:
    "Deliveries that have not started are cancelled; one that is being sent finishes and says truthfully how.",
  params: z.object({ id: pathId }),
  result: Post,
  success: { 200: "The post, as it now is.", 204: "The draft is gone." },
  refusals: ["not_found", "post_finished"],
});

export const updatePost = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/posts/:id",
  auth: "key_or_session",
  tag: "Posts",
  summary: "Edit a post that has not started publishing",
  description:
    "A field that is left out stays as it is; a list or map replaces the whole of the old one. The merged post is judged, " +
    "not the patch. `draft: false` releases a draft, `draft: true` pulls a scheduled post back.",
  params: z.object({ id: pathId }),
  body: z.strictObject({
    channels: z.array(id).max(CHANNELS_PER_POST_MAX).optional(),
    text: postText.optional(),
    media: mediaIds.optional(),
    publish_at: z.string(as("publish_at_invalid")).max(100, as("publish_at_invalid")).nullable().optional().meta({
      description: "ISO 8601, or null to publish on release.",
    }),
    overrides: z.record(id, Override).optional(),
    draft: z.boolean(as("draft_not_boolean")).optional(),
    post_type: z.enum(POST_TYPES).nullish(),
    metadata: metadata.optional(),
  }),
  result: Post,
  success: { 200: "The post, as it now is." },
  refusals: [...REFUSALS, "not_found", "post_not_editable", "post_type_fixed"],
});

export const retryDelivery = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts/:id/deliveries/:channel/retry",
  auth: "key_or_session",
  tag: "Posts",
  summary: "Send a failed delivery again",
  description:
    "The delivery goes out now, as the post stands. After `outcome_unknown` it may be out already: look at the network " +
    "first, then say `confirm_not_published: true`.",
  params: z.object({ id: pathId, channel: pathId }),
  body: z.strictObject({ confirm_not_published: z.boolean().optional() }),
  result: Delivery,
  success: { 200: "The delivery, which is due now." },
  refusals: ["not_found", "delivery_not_retryable", "channel_not_connected", "channel_needs_reconnect"],
});
