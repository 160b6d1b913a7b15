// Decisions on a post that waits for approval.
import * as z from "zod";
import { REASON_LENGTH_MAX } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { publishingTime } from "./post-fields.ts";
import { Approval, Post } from "./post-shapes.ts";
import { POST_REFUSALS } from "./posts.ts";
import { SAMPLE, SAMPLE_POST } from "./samples.ts";
import { about, buildIdParams, id, refuseAs, text } from "./shapes.ts";

const rev = z
  .int()
  .min(1)
  .meta(about("`rev` of the post that was reviewed. Any other revision is rejected with 412 `post_changed`."));

const contentTag = z.string().max(100).optional().meta(about("As `rev`, for the post's `content_tag`."));

export const readDecision = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts/:id/decision",
  auth: "key_or_session",
  ability: "read",
  tag: "Posts",
  summary: "Get the last decision on a post and the post at that time",
  description: "Compare it with the version awaiting approval. It is kept as long as the post.",
  params: z.object(buildIdParams(SAMPLE.post)),
  result: z
    .object({
      decision: Approval.extend(
        Post.pick({
          text: true,
          media: true,
          thread: true,
          poll: true,
          channels: true,
          overrides: true,
          publish_at: true,
          post_type: true,
          media_fit: true,
          repeat: true,
          link_tags: true,
        }).shape,
      )
        .extend({
          alts: z
            .record(id, z.string().nullable())
            .nullable()
            .meta(about("The alt text of each file at that time, by media id; null if it was not recorded.")),
        })
        .nullable()
        .meta(about("The last decision; null if there is none yet.")),
    })
    .meta({ id: "Decision", examples: [{ decision: null }] }),
  success: { 200: "The decision." },
  refusals: ["not_found"],
});

const decided = (approval: z.input<typeof Post>["approval"], fields: object) =>
  Post.meta({ examples: [{ ...SAMPLE_POST, ...fields, approval }] });
const decisionFields = { by: "Ada", at: SAMPLE.created, rev: 1 };

export const approvePost = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts/:id/approve",
  auth: "key_or_session",
  ability: "publish",
  tag: "Posts",
  summary: "Approve a post awaiting approval",
  description:
    "The post is checked again as a whole, scheduled as it is, and counted. More than a minute after its time it is " +
    "rejected unless the call gives `publish_at`.",
  params: z.object(buildIdParams(SAMPLE.post)),
  body: z.strictObject({
    rev,
    content_tag: contentTag,
    publish_at: publishingTime
      .nullable()
      .optional()
      .meta(
        about(
          "A time that replaces the post's own; null publishes now. It also replaces times of single channels that have passed.",
        ),
      ),
  }),
  result: decided({ state: "approved", reason: null, ...decisionFields }, {}),
  success: { 200: "The scheduled post." },
  refusals: [...POST_REFUSALS, "four_eyes", "not_found", "post_not_waiting", "post_changed", "edit_conflict"],
  violations: POST_REFUSALS,
  revised: "told",
  examples: { "As it is": { rev: 1 }, "At once, its time is over": { rev: 1, publish_at: null } },
});

export const declinePost = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts/:id/decline",
  auth: "key_or_session",
  ability: "publish",
  tag: "Posts",
  summary: "Decline a post awaiting approval",
  description: "The post becomes a draft again, with the reason in `approval`.",
  params: z.object(buildIdParams(SAMPLE.post)),
  body: z.strictObject({
    reason: text(REASON_LENGTH_MAX)
      .refine((value) => value.trim() !== "", refuseAs("invalid_field"))
      .meta(about("The reason, for the post's author.")),
    rev: rev.optional(),
    content_tag: contentTag,
  }),
  result: decided(
    { state: "declined", reason: "Not before Monday.", ...decisionFields },
    { status: "draft", draft: true, deliveries: [] },
  ),
  success: { 200: "The post, now a draft." },
  refusals: ["not_found", "post_not_waiting", "post_changed"],
  revised: "told",
  examples: { "With a reason": { reason: "Not before Monday." } },
});
