import * as z from "zod";
import { ALT_LENGTH_MAX, MEDIA_PER_POST_MAX } from "../domain/limits.ts";
import { MEDIA_KINDS } from "../domain/posts/platform-rule.ts";
import { operation, plain } from "./operation.ts";
import { POST_INPUTS, publishingTime } from "./post-fields.ts";
import { DryRun, Post } from "./post-shapes.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, refuseAs, text } from "./shapes.ts";

const MediaPreview = z.strictObject({
  kind: z.enum(MEDIA_KINDS),
  type: z.string().max(100).optional(),
  bytes: z.int().min(0).optional(),
  width: z.int().min(1).optional(),
  height: z.int().min(1).optional(),
  seconds: z.number().min(0).optional(),
  alt: text(ALT_LENGTH_MAX, "alt_too_long").nullish(),
});

const REFUSALS = [
  "text_required",
  "channels_required",
  "unknown_channel",
  "duplicate_channel",
  "unknown_media",
  "media_not_uploaded",
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
  "poll_not_offered",
  "document_not_offered",
  "draft_not_boolean",
  "publish_at_invalid",
  "publish_at_in_past",
  "publish_at_too_far",
  "publish_at_in_dst_gap",
  "no_free_slot",
  "repeat_invalid",
  "plan_limit",
  "images_not_configured",
  "images_unavailable",
] as const;
/** The rules that a whole post must pass before it is queued. */
export const POST_REFUSALS = REFUSALS;

/** The codes returned as `violations`, including those of the schemas. */
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
    "Creates one delivery per channel. A post that breaks a rule is rejected with all its `violations`, and nothing is written. " +
    "`dry_run: true` runs the same checks and writes nothing.",
  body: z.strictObject({
    ...POST_INPUTS,
    publish_at: publishingTime.nullish().meta({
      description:
        "ISO 8601. Without an offset, in the workspace's zone. `next_slot`: the channels' next free slot. Omitted: now.",
      examples: ["2026-12-01T09:00:00Z"],
    }),
    draft: z.boolean(refuseAs("draft_not_boolean")).optional().meta(about("true: save without publishing.")),
    dry_run: z.boolean().optional().meta(about("true: only check.")),
    media_preview: z
      .array(MediaPreview)
      .max(MEDIA_PER_POST_MAX)
      .optional()
      .meta(about("Files not uploaded yet, to be checked in a dry run.")),
  }),
  result: z.union([Post, DryRun]),
  success: {
    201: "The post, with one delivery per channel.",
    200: "The post already created with the same key, or the result of a dry run.",
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
    "A poll": {
      channels: [SAMPLE.channel],
      text: "We are choosing the next machine.",
      poll: { question: "Which one shall we build?", options: ["A loom", "An engine"], minutes: 1_440 },
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
  summary: "Get a post with its deliveries",
  params: z.object(buildIdParams(SAMPLE.post)),
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
    "Deliveries that have not started are cancelled. A delivery that is being sent finishes and reports its real outcome.",
  params: z.object(buildIdParams(SAMPLE.post)),
  result: Post,
  success: { 200: "The updated post.", 204: "The draft was discarded." },
  refusals: ["not_found", "post_finished", "post_not_cancellable", "post_changed"],
  revised: "conditional",
});

export const stopRepeat = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/posts/:id/repeat",
  auth: "key_or_session",
  ability: ["draft", "publish"],
  tag: "Posts",
  summary: "Stop a repeating post",
  description:
    "Takes any post of the series. No further post is made; a post that is already scheduled keeps its time, and can be cancelled.",
  params: z.object(buildIdParams(SAMPLE.post)),
  result: Post,
  success: { 200: "The post." },
  refusals: ["not_found", "repeat_stopped"],
  revised: "told",
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
    "Omitted fields keep their values. A list or map replaces the old one entirely. The merged post is validated, " +
    "not the patch. `draft: false` releases a draft, `draft: true` turns a scheduled post back into a draft.",
  params: z.object(buildIdParams(SAMPLE.post)),
  body: z.strictObject({
    ...POST_INPUTS,
    publish_at: publishingTime.nullable().optional().meta({
      description: "ISO 8601, `next_slot`, or null to publish on release.",
    }),
    draft: z
      .boolean(refuseAs("draft_not_boolean"))
      .optional()
      .meta(about("false releases a draft, true makes the post a draft.")),
  }),
  result: Post,
  success: { 200: "The updated post." },
  refusals: [
    ...REFUSALS,
    "not_found",
    "post_not_editable",
    "edit_conflict",
    "post_changed",
    "post_type_fixed",
    "repeat_stopped",
  ],
  revised: "conditional",
  violations: VIOLATIONS,
  examples: {
    "Another time": { publish_at: "2026-12-02T09:00:00Z" },
    "Release a draft": { draft: false, channels: [SAMPLE.channel] },
  },
});
