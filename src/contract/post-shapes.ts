// A post in calls and answers.
import * as z from "zod";
import { APPROVAL_STATES } from "../domain/posts/approval.ts";
import { POST_TYPES, TEXT_UNITS } from "../domain/posts/platform-rule.ts";
import { POST_STATUSES } from "../domain/posts/post.ts";
import { WARNINGS } from "../domain/posts/warning.ts";
import { cost } from "./cost.ts";
import { ChannelFile, Delivery, SentFile } from "./deliveries.ts";
import { POST_OUTPUTS } from "./post-fields.ts";
import { SAMPLE_DRY_RUN, SAMPLE_POST } from "./samples.ts";
import { about, id, instant, untrusted } from "./shapes.ts";

const Warning = z
  .object({ code: z.enum(WARNINGS), channel: id.optional(), message: z.string() })
  .meta({ id: "Warning", description: "Something to know; it does not block the post." });

export const Approval = z
  .object({
    state: z.enum(APPROVAL_STATES),
    by: z.string().nullable().meta(untrusted("Who decided, by name; null while it waits.")),
    reason: z.string().nullable().meta(untrusted("Why it was declined.")),
    at: instant.meta(about("When it was asked for, or decided.")),
    rev: z.int().meta(about("The revision that waits, or was decided on.")),
    files: z
      .array(ChannelFile)
      .optional()
      .meta(about("Of a post that waits with `media_fit: adapt`: what each channel would get.")),
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
    ...POST_OUTPUTS,
    publish_at: instant.nullable().meta(about("null: now, or for a draft on release.")),
    timezone: z.string().meta(about("The workspace's zone when the time was read.")),
    publish_at_local: z.string().nullable().meta({ description: "The same instant on the workspace's wall clock." }),
    due_at: instant
      .nullable()
      .meta(
        about(
          "The promised instant: `publish_at`, or when it was accepted or released; null for a draft without a time.",
        ),
      ),
    rev: z.int().meta(about("Every edit and a cancellation raise it. Also in `ETag`.")),
    content_tag: z.string().meta(about("Hash of texts, options and files.")),
    draft: z.boolean(),
    deliveries: z.array(Delivery).meta(about("One per channel.")),
    approval: Approval.nullable().meta(about("The question and its answer; null: nobody was asked.")),
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
        files: z
          .array(SentFile)
          .meta(about("What would go out, with the planned pixels; `bytes` is null until the file is converted.")),
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
        ...cost,
      }),
    ),
    counts: z.object({ posts_used: z.int(), posts_allowed: z.int().nullable() }),
    warnings: z.array(Warning),
  })
  .meta({ id: "DryRun", examples: [SAMPLE_DRY_RUN] });
