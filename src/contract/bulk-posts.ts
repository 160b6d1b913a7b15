// One act on many posts. Each post is changed by the call that changes one post, so no rule stands here.
import * as z from "zod";
import { BULK_POSTS_MAX, DAY_MS, PUBLISH_AHEAD_MAX_MS } from "../domain/limits.ts";
import { labels } from "./labels.ts";
import { operation, plain } from "./operation.ts";
import { Post } from "./post-shapes.ts";
import { updatePost } from "./posts.ts";
import { PostRefused } from "./refusals.ts";
import { SAMPLE, SAMPLE_POST } from "./samples.ts";
import { about, id } from "./shapes.ts";

const ACTS = ["move", "label", "approve", "delete"] as const;
/** The fields that each act takes besides the posts. */
const TAKES: Record<(typeof ACTS)[number], readonly string[]> = {
  move: ["publish_at", "by_seconds"],
  label: ["labels"],
  approve: ["publish_at"],
  delete: [],
};

const BulkBody = z
  .strictObject({
    posts: z
      .array(z.strictObject({ id, rev: z.int().min(1).meta(about("The revision that the caller knows.")) }))
      .min(1)
      .max(BULK_POSTS_MAX)
      .refine((posts) => new Set(posts.map((post) => post.id)).size === posts.length, {
        error: "A post is given twice",
      }),
    do: z.enum(ACTS),
    publish_at: updatePost.body.shape.publish_at.meta(
      about("For `move`: the same new time for all. For `approve`: as when a single post is approved."),
    ),
    by_seconds: z
      .int()
      .min(-PUBLISH_AHEAD_MAX_MS / 1_000)
      .max(PUBLISH_AHEAD_MAX_MS / 1_000)
      .optional()
      .meta(about(`For \`move\`: seconds from each post's own time, such as ${DAY_MS / 1_000} for a day later.`)),
    labels: z
      .strictObject({ add: labels.optional(), remove: labels.optional() })
      .optional()
      .meta(about("For `label`.")),
  })
  .check(({ value, issues }) => {
    const given = ["publish_at", "by_seconds", "labels"].filter((name) => Object.hasOwn(value, name));
    const taken = TAKES[value.do];
    const foreign = given.find((name) => !taken.includes(name));
    const report = (path: string, message: string) =>
      issues.push({ code: "custom", path: [path], message, input: value });
    if (foreign !== undefined) report(foreign, `\`${value.do}\` does not take it`);
    if (value.do === "label" && given.length === 0) report("labels", "missing_field");
    if (value.do === "move" && given.length !== 1) report("publish_at", "Give either `publish_at` or `by_seconds`");
  });

const Moved = Post.pick({ status: true, rev: true, publish_at: true, due_at: true, labels: true });
const { status, publish_at, due_at, labels: sampleLabels } = SAMPLE_POST;

const BulkAnswer = z
  .object({
    id,
    status: z.int().meta(about("The HTTP status that the call for this post alone would have.")),
    post: Moved.nullable().meta(about("The post after the act; null if it was refused, or a deleted draft.")),
    error: PostRefused.omit({ request_id: true })
      .loose()
      .nullable()
      .meta(about("The body of the refusal, without `request_id`; null on success.")),
  })
  .meta({
    id: "BulkAnswer",
    examples: [
      { id: SAMPLE.post, status: 200, post: { status, rev: 2, publish_at, due_at, labels: sampleLabels }, error: null },
    ],
  });

export const bulkPosts = operation({
  ...plain,
  method: "POST",
  path: "/v1/posts/bulk",
  auth: "key_or_session",
  ability: ["draft", "publish"],
  tag: "Posts",
  summary: "Move, label, approve or delete up to 100 posts",
  description:
    "Each post is treated as by `PATCH /v1/posts/:id` (`move`, `label`), `POST /v1/posts/:id/approve` or `DELETE /v1/posts/:id`, " +
    "with the same rights, rules and refusals, and is changed completely or not at all. A post at another revision than `rev` is " +
    "refused with 412 `post_changed`. The answer lists all posts in the order of the call. One call changes up to 30 posts, or one on Workers Free; it " +
    "answers the remaining posts 429 `rate_limited`: send them again.",
  body: BulkBody,
  result: z.object({ posts: z.array(BulkAnswer) }).meta({ id: "BulkAnswers" }),
  success: { 200: "An answer for each post, even if all were refused." },
  refusals: ["rate_limited", "publish_at_invalid"],
  examples: {
    "A day later": { posts: [{ id: SAMPLE.post, rev: 1 }], do: "move", by_seconds: DAY_MS / 1_000 },
    "Other labels": {
      posts: [{ id: SAMPLE.post, rev: 1 }],
      do: "label",
      labels: { add: ["winter"], remove: ["autumn"] },
    },
    "Approve them": { posts: [{ id: SAMPLE.post, rev: 1 }], do: "approve" },
  },
});
