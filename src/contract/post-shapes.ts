// A post in calls and answers.
import * as z from "zod";
import { APPROVAL_STATES } from "../domain/posts/approval.ts";
import { POST_TYPES, TEXT_UNITS } from "../domain/posts/platform-rule.ts";
import { POST_STATUSES } from "../domain/posts/post.ts";
import { REPEAT_STATES } from "../domain/posts/repeat.ts";
import { UNITS } from "../domain/posts/units.ts";
import { WARNINGS } from "../domain/posts/warning.ts";
import { cost } from "./cost.ts";
import { ChannelFile, Delivery, SentFile } from "./deliveries.ts";
import { POST_OUTPUTS } from "./post-fields.ts";
import { SAMPLE_DRY_RUN, SAMPLE_POST } from "./samples.ts";
import { about, id, instant, untrusted } from "./shapes.ts";

const Warning = z
  .object({
    code: z.enum(WARNINGS),
    channel: id.optional(),
    message: z.string(),
    part: z.int().optional().meta(about("Position in the thread; absent for the post itself.")),
    repeats: z.int().optional().meta(about("Position of the earlier thread part with the same text.")),
    limit: z.number().optional(),
    actual: z.number().optional().meta(about("The post's value, in `unit`.")),
    unit: z.enum(UNITS).optional(),
    until: instant.optional().meta(about("When the network accepts posts again, or when access expires.")),
    post: id.optional().meta(about("The other post, for `possible_duplicate`.")),
    cost_usd: z.number().optional().meta(about("The network's charge, in US dollars.")),
  })
  .meta({ id: "Warning", description: "A notice about the post. It does not block publishing." });

export const Approval = z
  .object({
    state: z.enum(APPROVAL_STATES),
    by: z.string().nullable().meta(untrusted("Name of the person who decided. Null while awaiting approval.")),
    reason: z.string().nullable().meta(untrusted("The reason for declining the post.")),
    at: instant.meta(about("When approval was requested or decided.")),
    rev: z.int().meta(about("The revision that is awaiting approval, or was decided on.")),
    files: z
      .array(ChannelFile)
      .optional()
      .meta(about("For a post awaiting approval with `media_fit: adapt`: the files that each channel would get.")),
  })
  .meta({ id: "Approval" });

export const Post = z
  .object({
    id,
    status: z
      .enum(POST_STATUSES)
      .meta(
        about(
          "A post that is `awaiting_approval` is never sent before it is approved. Finished statuses: `published` (all live), `partially_published` (some), `failed` (none) and `cancelled`.",
        ),
      ),
    ...POST_OUTPUTS,
    publish_at: instant.nullable().meta(about("Null: now, or on release for a draft.")),
    timezone: z.string().meta(about("The workspace's time zone when `publish_at` was read.")),
    publish_at_local: z.string().nullable().meta({ description: "The same instant on the workspace's wall clock." }),
    due_at: instant
      .nullable()
      .meta(
        about(
          "The due time: `publish_at`, or when the post was accepted or released. Null for a draft without a time.",
        ),
      ),
    repeat_of: id.nullable().meta(about("The first post of the series. Null for that post, and without `repeat`.")),
    repeat_status: z
      .object({
        state: z
          .enum(REPEAT_STATES)
          .meta(
            about(
              "`active`: the next post is made when this one has ended. `continued`: it exists. `completed`: this is the last one.",
            ),
          ),
        next_at: instant.nullable().meta(about("When the next post is due, if `active`.")),
        problem: z
          .string()
          .nullable()
          .meta(about("The error code for which this post was saved as a draft, or no next post could be made.")),
      })
      .nullable()
      .meta(about("Null without `repeat`.")),
    rev: z.int().meta(about("Revision number, raised by each edit and by a cancellation. Also in `ETag`.")),
    content_tag: z.string().meta(about("Hash of texts, options and files.")),
    draft: z.boolean(),
    deliveries: z.array(Delivery).meta(about("One delivery per channel.")),
    approval: Approval.nullable().meta(about("The approval request and its decision. Null if none was requested.")),
    created_at: instant,
    updated_at: instant,
    published_at: instant.nullable(),
    warnings: z.array(Warning).meta(about("Warnings from checking the post. They never block it.")),
  })
  .meta({ id: "Post", examples: [SAMPLE_POST] });

export const DryRun = z
  .object({
    dry_run: z.literal(true),
    valid: z.literal(true),
    status: z.enum(POST_STATUSES).meta(about("The status that the post would have.")),
    publish_at: instant.nullable(),
    publish_at_local: z.string().nullable(),
    deliveries: z.array(
      z.object({
        channel: id,
        platform: z.string(),
        text: z.string().meta(about("The exact text that would be published.")),
        text_length: z.int().meta(about("Text length in `text_unit`, as the network counts it.")),
        text_limit: z.int(),
        text_unit: z.enum(TEXT_UNITS),
        post_type: z.enum(POST_TYPES),
        media: z.int().meta(about("Number of files.")),
        poll: POST_OUTPUTS.poll,
        files: z
          .array(SentFile)
          .meta(
            about(
              "Files that would be published, with the planned pixels. `bytes` is null until the file is converted.",
            ),
          ),
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
          .meta(about("The thread, starting with the post itself. Null if there is none.")),
        ...cost,
      }),
    ),
    repeats_at: z.array(instant).meta(about("When the next posts would be due, up to five. Empty without `repeat`.")),
    counts: z.object({ posts_used: z.int(), posts_allowed: z.int().nullable() }),
    warnings: z.array(Warning),
  })
  .meta({ id: "DryRun", examples: [SAMPLE_DRY_RUN] });
