import * as z from "zod";
import {
  ALT_LENGTH_MAX,
  CHANNELS_PER_POST_MAX,
  MEDIA_PER_POST_MAX,
  METADATA_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  OVERRIDE_KEYS_MAX,
  TEXT_LENGTH_MAX,
  THREAD_PARTS_MAX,
} from "../domain/limits.ts";
import { APPROVAL_STATES } from "../domain/posts/approval.ts";
import { MEDIA_KINDS, POST_TYPES, TEXT_UNITS } from "../domain/posts/platform-rule.ts";
import { POST_STATUSES } from "../domain/posts/post.ts";
import { WARNINGS } from "../domain/posts/warning.ts";
import { Delivery } from "./deliveries.ts";
import { labels } from "./labels.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE, SAMPLE_DRY_RUN, SAMPLE_POST } from "./samples.ts";
import { about, as, id, instant, pathIdOf, text } from "./shapes.ts";

const postText = text(TEXT_LENGTH_MAX);
const mediaIds = z.array(id).max(MEDIA_PER_POST_MAX);

const ThreadPart = z.strictObject({ text: postText, media: mediaIds.optional() }).meta({
  id: "ThreadPart",
  description: "A further part of a post, published as a reply to the one before; `media` are ids of its own files.",
});
const threadParts = z.array(ThreadPart).max(THREAD_PARTS_MAX);
const thread = threadParts
  .nullish()
  .meta(about(`Up to ${THREAD_PARTS_MAX} further parts, on networks whose rule has \`thread\`; null or []: none.`));

const Override = z
  .looseObject({ text: postText.optional(), media: mediaIds.optional(), thread: threadParts.optional() })
  .refine((override) => Object.keys(override).length <= OVERRIDE_KEYS_MAX, {
    error: `At most ${OVERRIDE_KEYS_MAX} names for one channel`,
    abort: true,
  })
  .meta({
    id: "Override",
    description: "What differs on one channel: `text`, `media`, `thread` ([]: none), and the network's own options.",
  });
const overrides = z.record(id, Override).refine((map) => Object.keys(map).length <= CHANNELS_PER_POST_MAX, {
  error: `At most ${CHANNELS_PER_POST_MAX} channels`,
});

const Warning = z
  .object({ code: z.enum(WARNINGS), channel: id.optional(), message: z.string() })
  .meta({ id: "Warning", description: "Something to know; it does not block the post." });

export const Approval = z
  .object({
    state: z.enum(APPROVAL_STATES),
    by: z.string().nullable().meta(about("Who decided, by name; null while it waits.")),
    reason: z.string().nullable().meta(about("Why it was declined.")),
    at: instant.meta(about("When it was asked for, or decided.")),
    rev: z.int().meta(about("The revision that waits, or was decided on.")),
  })
  .meta({ id: "Approval" });

export const Post = z
  .object({
    id,
    status: z
      .enum(POST_STATUSES)
      .meta(
        about(
          "`awaiting_approval` is never sent before somebody approves it. Finished are `published` (all live), `partially_published` (some), `failed` (none) and `cancelled`.",
        ),
      ),
    text: z.string(),
    media: z.array(id).meta(about("In publishing order.")),
    thread: z
      .array(z.object({ text: z.string(), media: z.array(id) }))
      .nullable()
      .meta(about("Further parts, each a reply to the one before; null: none.")),
    channels: z.array(id),
    publish_at: instant.nullable().meta(about("null: now, or for a draft on release.")),
    timezone: z.string().meta(about("The workspace's zone when the time was read.")),
    publish_at_local: z.string().nullable().meta({ description: "The same instant on the workspace's wall clock." }),
    due_at: instant
      .nullable()
      .meta(
        about(
          "The instant that was promised: `publish_at`, or when it was accepted or released; null for a draft without a time.",
        ),
      ),
    rev: z.int().meta(about("Its revision: every edit and a cancellation make it larger. Also in `ETag`.")),
    overrides: z.record(z.string(), Override).meta(about("By channel id.")),
    draft: z.boolean(),
    post_type: z.enum(POST_TYPES).nullable(),
    deliveries: z.array(Delivery).meta(about("One per channel.")),
    labels: z.array(z.string()).meta(about("Your own, to find posts by.")),
    approval: Approval.nullable().meta(about("What somebody was asked, and said; null: nobody was asked.")),
    metadata: z.record(z.string(), z.string()).meta(about("Your own, echoed in events.")),
    created_at: instant,
    updated_at: instant,
    published_at: instant.nullable(),
    warnings: z.array(Warning).meta(about("Found when the post was checked; they never block it.")),
  })
  .meta({ id: "Post", examples: [SAMPLE_POST] });

export const DryRun = z
  .object({
    dry_run: z.literal(true),
    valid: z.literal(true),
    status: z.enum(POST_STATUSES).meta(about("What the post would be.")),
    publish_at: instant.nullable(),
    publish_at_local: z.string().nullable(),
    deliveries: z.array(
      z.object({
        channel: id,
        platform: z.string(),
        text: z.string().meta(about("Exactly what would go out.")),
        text_length: z.int().meta(about("In `text_unit`, as the network counts.")),
        text_limit: z.int(),
        text_unit: z.enum(TEXT_UNITS),
        post_type: z.enum(POST_TYPES),
        media: z.int().meta(about("How many files.")),
        parts: z
          .array(
            z.object({
              position: z.int(),
              text: z.string(),
              text_length: z.int(),
              text_limit: z.int(),
              media: z.int(),
            }),
          )
          .nullable()
          .meta(about("The thread, the post itself first; null: there is none.")),
        estimated_cost_usd: z
          .number()
          .nullable()
          .meta(about("What the network would charge for all parts; null: nothing.")),
      }),
    ),
    counts: z.object({ posts_used: z.int(), posts_allowed: z.int().nullable() }),
    warnings: z.array(Warning),
  })
  .meta({ id: "DryRun", examples: [SAMPLE_DRY_RUN] });

const MediaPreview = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  type: z.string().max(100).optional(),
  bytes: z.int().min(0).optional(),
  width: z.int().min(1).optional(),
  height: z.int().min(1).optional(),
  seconds: z.number().min(0).optional(),
  alt: text(ALT_LENGTH_MAX, "alt_too_long").nullish(),
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
  "thread_not_offered",
  "draft_not_boolean",
  "publish_at_invalid",
  "publish_at_in_past",
  "publish_at_too_far",
  "publish_at_in_dst_gap",
  "no_free_slot",
  "plan_limit",
] as const;
/** A whole post that is about to be queued is judged by these. */
export const POST_REFUSALS = REFUSALS;

/** What comes as `violations`: also what the schemas find. */
const VIOLATIONS = [...REFUSALS, "invalid_field", "unknown_field", "missing_field"] as const;

export const createPost = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts",
  auth: "key_or_session",
  ability: ["publish", "draft"],
  tag: "Posts",
  summary: "Publish a post now or later, or save it as a draft",
  description:
    "One delivery per channel. A post that breaks a rule is refused with all `violations` at once and nothing is written. " +
    "`dry_run: true` makes the same checks and writes nothing.",
  body: z.strictObject({
    channels: z
      .array(id)
      .max(CHANNELS_PER_POST_MAX)
      .optional()
      .meta(about("Where it goes; required unless it is a draft.")),
    text: postText.optional().meta(about("Required unless there is a file. Each network has its own limit.")),
    media: mediaIds.optional().meta(about("Ids of files, in publishing order.")),
    thread,
    publish_at: z
      .string(as("publish_at_invalid"))
      .max(100, as("publish_at_invalid"))
      .nullish()
      .meta({
        description:
          "ISO 8601; without an offset it is read in the workspace's zone. `next_slot`: the next free slot of the channels. Leave it out to publish now.",
        examples: ["2026-12-01T09:00:00Z"],
      }),
    overrides: overrides.optional().meta(about("By channel id: what differs there.")),
    draft: z.boolean(as("draft_not_boolean")).optional().meta(about("true: keep it, do not send it.")),
    post_type: z.enum(POST_TYPES).nullish().meta(about("Fixed for the life of the post. Each network offers some.")),
    dry_run: z.boolean().optional().meta(about("true: check everything, write nothing.")),
    media_preview: z
      .array(MediaPreview)
      .max(MEDIA_PER_POST_MAX)
      .optional()
      .meta(about("Files that are not uploaded yet, to be judged on a dry run.")),
    labels: labels.optional(),
    metadata: metadata.optional().meta(about(`Your own texts, echoed in events: at most ${METADATA_KEYS_MAX}.`)),
  }),
  result: z.union([Post, DryRun]),
  success: {
    201: "The post, with a delivery per channel.",
    200: "A repeat of the same key, or the result of a dry run.",
  },
  refusals: [...REFUSALS, "media_preview_needs_dry_run", "idempotency_key_invalid", "idempotency_key_reused"],
  violations: VIOLATIONS,
  idempotent: true,
  revised: "told",
  narrower: { 201: Post },
  examples: {
    "Publish now": { channels: [SAMPLE.channel], text: "The engine weaves algebraical patterns." },
    "Later, with a file and another text on one channel": {
      channels: [SAMPLE.channel, SAMPLE.otherChannel],
      text: "The engine weaves algebraical patterns.",
      media: [SAMPLE.media],
      publish_at: "2026-12-01T09:00:00Z",
      overrides: { [SAMPLE.otherChannel]: { text: "Patterns of algebra, woven by an engine." } },
      metadata: { campaign: "winter" },
    },
    "In the next free slot": { channels: [SAMPLE.channel], text: "Whenever there is room.", publish_at: "next_slot" },
    "A thread": {
      channels: [SAMPLE.channel],
      text: "The engine weaves algebraical patterns.",
      thread: [{ text: "Just as the loom weaves flowers and leaves." }, { text: "And that is all of it." }],
    },
    "A dry run": { channels: [SAMPLE.channel], text: "Would this fit?", dry_run: true },
    "A draft": { text: "Something about Bernoulli numbers", draft: true },
  },
});

export const getPost = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts/:id",
  auth: "key_or_session",
  ability: "read",
  tag: "Posts",
  summary: "One post with its deliveries",
  params: z.object(pathIdOf(SAMPLE.post)),
  result: Post,
  success: { 200: "The post." },
  refusals: ["not_found"],
  revised: "told",
});

export const removePost = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/posts/:id",
  auth: "key_or_session",
  ability: ["draft", "publish"],
  tag: "Posts",
  summary: "Cancel an unfinished post, or discard a draft",
  description:
    "Deliveries that have not started are cancelled; one that is being sent finishes and says truthfully how.",
  params: z.object(pathIdOf(SAMPLE.post)),
  result: Post,
  success: { 200: "The post, as it now is.", 204: "The draft is gone." },
  refusals: ["not_found", "post_finished", "post_not_cancellable", "post_changed"],
  revised: "conditional",
});

export const updatePost = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/posts/:id",
  auth: "key_or_session",
  ability: ["draft", "publish"],
  tag: "Posts",
  summary: "Edit a post that has not started publishing",
  description:
    "A field that is left out stays as it is; a list or map replaces the whole of the old one. The merged post is judged, " +
    "not the patch. `draft: false` releases a draft, `draft: true` pulls a scheduled post back.",
  params: z.object(pathIdOf(SAMPLE.post)),
  body: z.strictObject({
    channels: z.array(id).max(CHANNELS_PER_POST_MAX).optional().meta(about("Where it goes.")),
    text: postText.optional().meta(about("Each network has its own limit.")),
    media: mediaIds.optional().meta(about("Ids of files, in publishing order.")),
    thread,
    publish_at: z.string(as("publish_at_invalid")).max(100, as("publish_at_invalid")).nullable().optional().meta({
      description: "ISO 8601, `next_slot`, or null to publish on release.",
    }),
    overrides: overrides.optional().meta(about("By channel id: what differs there.")),
    draft: z.boolean(as("draft_not_boolean")).optional().meta(about("false releases a draft, true takes it back.")),
    post_type: z.enum(POST_TYPES).nullish().meta(about("Can be set once, if it is not yet.")),
    labels: labels.optional(),
    metadata: metadata.optional().meta(about(`Your own texts, echoed in events: at most ${METADATA_KEYS_MAX}.`)),
  }),
  result: Post,
  success: { 200: "The post, as it now is." },
  refusals: [...REFUSALS, "not_found", "post_not_editable", "edit_conflict", "post_changed", "post_type_fixed"],
  revised: "conditional",
  violations: VIOLATIONS,
  examples: {
    "Another time": { publish_at: "2026-12-02T09:00:00Z" },
    "Release a draft": { draft: false, channels: [SAMPLE.channel] },
  },
});
