import * as z from "zod";
import { LABEL_LENGTH_MAX, LIST_LIMIT_DEFAULT, QUERY_LENGTH_MAX, QUERY_WORDS_MAX } from "../domain/limits.ts";
import { POST_STATUSES } from "../domain/posts/post.ts";
import { splitWords } from "../domain/posts/words.ts";
import { operation, plain } from "./operation.ts";
import { Post } from "./post-shapes.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, limit, line, page, refuseAs, switchedOn, text } from "./shapes.ts";

/** An instant, or a date on the workspace's clock. The date is validated in the workspace's zone. */
const instantOrDate = (label: string) =>
  z
    .string()
    .max(40)
    .optional()
    .meta({ description: `${label}: an instant, or a date in the workspace's zone.`, examples: ["2026-12-01"] });

/** Words to search for. */
export const q = text(QUERY_LENGTH_MAX)
  .refine((words) => splitWords(words).length > 0, { error: "It has no word" })
  .refine((words) => splitWords(words).length <= QUERY_WORDS_MAX, { error: `At most ${QUERY_WORDS_MAX} words` });

export const listPosts = operation({
  ...plain,
  method: "GET",
  path: "/v1/posts",
  auth: "key_or_session",
  ability: "read",
  tag: "Posts",
  summary: "List posts, newest first or by due time",
  description:
    "Filters combine: a post must match all of them. An unknown channel, platform or label returns an empty page.",
  query: z.object({
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
    status: z
      .enum(POST_STATUSES, refuseAs("unknown_status"))
      .optional()
      .meta({ examples: ["scheduled"] }),
    from: instantOrDate("Only posts with `due_at` at or after this time"),
    to: instantOrDate("Only posts with `due_at` before this time"),
    channel: z
      .string()
      .regex(/^ch_[0-9a-z]{26}$/)
      .optional()
      .meta({ description: "Posts with this channel.", examples: [SAMPLE.channel] }),
    platform: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,39}$/)
      .optional()
      .meta({ description: "Posts with a channel on this network.", examples: [SAMPLE.platform] }),
    label: line(LABEL_LENGTH_MAX)
      .optional()
      .meta({ description: "Posts with this label.", examples: ["winter"] }),
    media: z
      .string()
      .regex(/^med_[0-9a-z]{26}$/)
      .optional()
      .meta({ description: "Posts that use this file.", examples: [SAMPLE.media] }),
    author: id.optional().meta({
      description:
        "Posts last created or changed by this user, key or connected application: the id of an event's `actor`.",
    }),
    q: q.optional().meta({
      description:
        "Posts that contain all of these whole words in text, overrides or labels, in any case. The search uses no index: " +
        "see `looked_through`.",
      examples: ["engine patterns"],
    }),
    attention: switchedOn.meta({
      description:
        "`true`: only posts that a person should look at: they failed on a channel, or a network changed or removed them. " +
        "The search uses no index: see `looked_through`, and set `from`.",
      examples: ["true"],
    }),
    order: z
      .enum(["newest", "due"])
      .default("newest")
      .meta(about("`newest`: by creation time; `due`: by `due_at`, earliest first, posts without one last.")),
  }),
  result: page("posts", Post).extend({
    looked_through: z
      .int()
      .nullable()
      .meta({
        description:
          "The number of posts scanned for this page if no index covers the filters in this order. The page is still full " +
          "unless it is the last. Null if an index was used.",
        examples: [null],
      }),
  }),
  success: { 200: "A page of posts. Drafts are left out unless `status=draft` is set." },
  refusals: ["unknown_status", "unreadable_cursor"],
});
