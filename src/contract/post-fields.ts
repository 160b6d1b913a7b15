// The schemas of the fields that people write in a post (domain/posts/post-fields.ts), for calls and for posts.
import * as z from "zod";
import {
  CHANNELS_PER_POST_MAX,
  MEDIA_PER_POST_MAX,
  METADATA_KEYS_MAX,
  OVERRIDE_KEYS_MAX,
  POLL_MINUTES_MAX,
  POLL_OPTIONS_MAX,
  POLL_TEXT_LENGTH_MAX,
  PUBLISH_AT_LENGTH_MAX,
  TEXT_LENGTH_MAX,
  THREAD_PARTS_MAX,
} from "../domain/limits.ts";
import { POST_TYPES } from "../domain/posts/platform-rule.ts";
import type { PostFieldName } from "../domain/posts/post-fields.ts";
import { REPEAT_TIMES_MAX, REPEAT_UNITS, VARIATIONS_MAX } from "../domain/posts/repeat.ts";
import { MEDIA_FITS } from "../domain/posts/sent-file.ts";
import { labels } from "./labels.ts";
import { LinkTags, LinkTagsInput } from "./link-tags.ts";
import { about, id, instant, line, metadata, refuseAs, text } from "./shapes.ts";

/** The text of a post, or of a part of it. */
export const postText = text(TEXT_LENGTH_MAX);
const mediaIds = z.array(id).max(MEDIA_PER_POST_MAX);
const ThreadPart = z.strictObject({ text: postText, media: mediaIds.optional() }).meta({
  id: "ThreadPart",
  description: "Published as a reply to the previous part. `media`: its own file ids.",
});
const threadParts = z.array(ThreadPart).max(THREAD_PARTS_MAX);
/** A time in the forms that `readInstant` takes, or `next_slot`. */
export const publishingTime = z
  .string(refuseAs("publish_at_invalid"))
  .max(PUBLISH_AT_LENGTH_MAX, refuseAs("publish_at_invalid"));
const Poll = z
  .strictObject({
    question: line(POLL_TEXT_LENGTH_MAX),
    options: z.array(line(POLL_TEXT_LENGTH_MAX)).min(1).max(POLL_OPTIONS_MAX),
    minutes: z.int().min(1).max(POLL_MINUTES_MAX),
  })
  .meta({
    id: "Poll",
    description: "A vote under the post. Limits: the rule's `poll`.",
  });
const Override = z
  .looseObject({
    text: postText.optional(),
    media: mediaIds.optional(),
    thread: threadParts.optional(),
    publish_at: publishingTime.nullish(),
    poll: Poll.nullable().optional(),
  })
  .refine((override) => Object.keys(override).length <= OVERRIDE_KEYS_MAX, {
    error: `At most ${OVERRIDE_KEYS_MAX} names for one channel`,
    abort: true,
  })
  .meta({
    id: "Override",
    description:
      "Values for one channel: `text`, `media`, `thread` ([]: none), `poll` (null: none), `publish_at`, and the network's own options.",
  });
const overrides = z.record(id, Override).refine((map) => Object.keys(map).length <= CHANNELS_PER_POST_MAX, {
  error: `At most ${CHANNELS_PER_POST_MAX} channels`,
});
const mediaFit = z.enum(MEDIA_FITS).meta(about("`adapt` converts images that a channel rejects."));

const variation = text(TEXT_LENGTH_MAX)
  .min(1, refuseAs("repeat_invalid"))
  .refine((value) => value.trim() !== "", refuseAs("repeat_invalid"));
const Repeat = z
  .strictObject({
    every: z.enum(REPEAT_UNITS, refuseAs("repeat_invalid")),
    interval: z.int(refuseAs("repeat_invalid")).min(1, refuseAs("repeat_invalid")).optional(),
    weekdays: z
      .array(z.int(refuseAs("repeat_invalid")).min(1, refuseAs("repeat_invalid")).max(7, refuseAs("repeat_invalid")))
      .max(7, refuseAs("repeat_invalid"))
      .nullish()
      .meta(about("With `week`; 1 is Monday. Omitted: the first post's weekday.")),
    until: z
      .string(refuseAs("repeat_invalid"))
      .max(PUBLISH_AT_LENGTH_MAX, refuseAs("repeat_invalid"))
      .nullish()
      .meta(about("A date, or an instant: no later post is made.")),
    times: z
      .int(refuseAs("repeat_invalid"))
      .min(2, refuseAs("repeat_invalid"))
      .max(REPEAT_TIMES_MAX, refuseAs("repeat_invalid"))
      .nullish()
      .meta(about("Posts in all, instead of `until`.")),
    variations: z
      .array(variation)
      .max(VARIATIONS_MAX, refuseAs("repeat_invalid"))
      .optional()
      .meta(about("Texts that take turns with the post's.")),
  })
  .meta({ id: "Repeat" });
const repeatResult = z
  .object({
    every: z.enum(REPEAT_UNITS),
    interval: z.int(),
    weekdays: z.array(z.int()).nullable(),
    until: instant.nullable(),
    times: z.int().nullable(),
    variations: z.array(z.string()).meta(about("The texts of the next posts, in turn.")),
  })
  .nullable()
  .meta(about("Null if the post does not repeat."));

/** As in calls that create and edit posts. */
export const POST_INPUTS = {
  channels: z
    .array(id)
    .max(CHANNELS_PER_POST_MAX)
    .optional()
    .meta(about("Channel ids. Required unless the post is a draft.")),
  text: postText.optional().meta(about("Required without a file. Each network has its own limit.")),
  media: mediaIds.optional().meta(about("File ids, in publishing order.")),
  thread: threadParts
    .nullish()
    .meta(about(`Up to ${THREAD_PARTS_MAX} further parts, on networks whose rule has \`thread\`; null or []: none.`)),
  poll: Poll.nullish(),
  media_fit: mediaFit.optional(),
  overrides: overrides.optional().meta(about("By channel id.")),
  post_type: z.enum(POST_TYPES).nullish().meta(about("Fixed once set. Networks differ.")),
  repeat: Repeat.nullish().meta(about("Makes the next post when this one has ended; null: none.")),
  link_tags: LinkTagsInput.nullish().meta(
    about("Parameters to add to its links. Omitted: the workspace's; null: none."),
  ),
  labels: labels.optional(),
  metadata: metadata.optional().meta(about(`Your own values, echoed in events. At most ${METADATA_KEYS_MAX}.`)),
} satisfies Record<PostFieldName, z.ZodType>;

/** As in posts. */
export const POST_OUTPUTS = {
  text: z.string(),
  media: z.array(id).meta(about("File ids, in publishing order.")),
  thread: z
    .array(z.object({ text: z.string(), media: z.array(id) }))
    .nullable()
    .meta(about("Further parts, each a reply to the previous one. Null if none.")),
  poll: Poll.nullable(),
  channels: z.array(id),
  overrides: z.record(z.string(), Override).meta(about("By channel id.")),
  post_type: z.enum(POST_TYPES).nullable(),
  media_fit: mediaFit,
  repeat: repeatResult,
  link_tags: LinkTags.nullable().meta(about("Parameters that are added to its links. Null if none.")),
  labels: z.array(z.string()).meta(about("Your own labels for finding posts.")),
  metadata: z.record(z.string(), z.string()).meta(about("Your own values, echoed in events.")),
} satisfies Record<PostFieldName, z.ZodType>;
