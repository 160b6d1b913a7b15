// RSS and Atom feeds that posts are made of.
import * as z from "zod";
import { FEED_PROBLEMS } from "../domain/feeds/feed.ts";
import { FEED_TEMPLATE_DEFAULT, TEMPLATE_NAMES, unknownNames } from "../domain/feeds/template.ts";
import {
  CHANNELS_PER_POST_MAX,
  FEED_INTERVAL_MINUTES_DEFAULT,
  FEED_INTERVAL_MINUTES_MAX,
  FEED_INTERVAL_MINUTES_MIN,
  FEED_POSTS_PER_READ_MAX,
  FEED_TEMPLATE_LENGTH_MAX,
  LIST_LIMIT_DEFAULT,
  URL_LENGTH_MAX,
} from "../domain/limits.ts";
import { NEXT_SLOT } from "../domain/next-slot.ts";
import { labels } from "./labels.ts";
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
  name,
  page,
  refuseAs,
  text,
} from "./shapes.ts";

const SAMPLE_FEED = {
  id: SAMPLE.feed,
  name: "Product blog",
  url: "https://blog.example.com/feed.xml",
  channels: [SAMPLE.channel],
  labels: ["blog"],
  template: FEED_TEMPLATE_DEFAULT,
  draft: true,
  publish_at: null,
  interval_minutes: FEED_INTERVAL_MINUTES_DEFAULT,
  paused: false,
  posts: 3,
  problem: null,
  last_read_at: SAMPLE.created,
  next_read_at: SAMPLE.due,
  created_at: SAMPLE.created,
} as const;

const template = text(FEED_TEMPLATE_LENGTH_MAX)
  .min(1)
  .refine((value) => unknownNames(value).length === 0, {
    error: `Only ${TEMPLATE_NAMES.map((each) => `{${each}}`).join(", ")} can stand in braces`,
  })
  .meta(
    about(
      `The text of each post. ${TEMPLATE_NAMES.map((each) => `\`{${each}}\``).join(", ")} are replaced by the item's values; a line with an empty value is left out.`,
    ),
  );
const interval = z
  .int()
  .min(FEED_INTERVAL_MINUTES_MIN)
  .max(FEED_INTERVAL_MINUTES_MAX)
  .meta(about("How often the feed is read, in minutes."));
const publishAt = z
  .literal(NEXT_SLOT)
  .nullable()
  .meta(about(`\`${NEXT_SLOT}\`: each post takes the channels' next free slot. null: at once. Drafts keep it.`));

/** What callers set. */
const inputs = {
  name,
  url: z
    .string()
    .max(URL_LENGTH_MAX, refuseAs("url_not_public"))
    .meta(about("The address of an RSS or Atom document, public and `https://`.")),
  channels: z.array(id).max(CHANNELS_PER_POST_MAX),
  labels,
  template,
  draft: z.boolean().meta(about("true: items become drafts. false: they become scheduled posts.")),
  publish_at: publishAt,
  interval_minutes: interval,
  paused: z.boolean().meta(about("A paused feed is not read. Items that appear meanwhile follow once it goes on.")),
};

export const Feed = z
  .object({
    id,
    ...inputs,
    name: z.string(),
    url: z.string(),
    template: z.string(),
    labels: z.array(z.string()),
    interval_minutes: z.int(),
    posts: z.int().meta(about("Posts and drafts that it has made.")),
    problem: z
      .object({ code: z.enum(FEED_PROBLEMS), message: z.string(), at: instant })
      .nullable()
      .meta(
        about(
          "What went wrong at the last read. `kept_as_draft`: what the feed made was refused, and is a draft without channels now. `refused`: not even that could be made. `maker_gone`: the person or key that set up the feed lost the right to post; a change of the feed by another takes it over.",
        ),
      ),
    last_read_at: instant.nullable(),
    next_read_at: instant.nullable().meta(about("null: the feed is paused.")),
    created_at: instant,
  })
  .meta({ id: "Feed", examples: [SAMPLE_FEED] });

const sharedDefinition = { ...plain, auth: "key_or_session", tag: "Posts" } as const;
const change = { ...sharedDefinition, ability: "manage_feeds", wholeWorkspace: true } as const;
const ADDRESS_REFUSALS = [
  "url_not_public",
  "url_not_https",
  "url_unreachable",
  "feed_unreadable",
  "rate_limited",
] as const;

export const listFeeds = operation({
  ...sharedDefinition,
  method: "GET",
  path: "/v1/feeds",
  ability: "read",
  summary: "List the workspace's feeds, newest first",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("feeds", Feed),
  success: { 200: "A page of feeds." },
  refusals: ["unreadable_cursor"],
});

export const createFeed = operation({
  ...change,
  method: "POST",
  path: "/v1/feeds",
  summary: "Make posts of a feed's new items",
  description:
    "The feed is read at once, to see that it is one. The items that it has by then make no posts; each later item makes " +
    `exactly one, the oldest first, at most ${FEED_POSTS_PER_READ_MAX} at each read. The posts are made with your rights: they count, ` +
    "wait for approval and are refused as if you had sent them. What is refused is kept as a draft without channels.",
  body: z.strictObject({
    ...inputs,
    name: name.optional().meta(about("Default: the feed's own title.")),
    labels: labels.default([]),
    template: template.default(FEED_TEMPLATE_DEFAULT),
    draft: inputs.draft.default(true),
    publish_at: publishAt.default(null),
    interval_minutes: interval.default(FEED_INTERVAL_MINUTES_DEFAULT),
    paused: inputs.paused.default(false),
  }),
  result: Feed.extend({
    preview: z
      .string()
      .nullable()
      .meta(about("The text that the newest item would have. null: the feed has no items yet.")),
    warnings: addressWarnings,
  }).meta({
    id: "NewFeed",
    examples: [{ ...SAMPLE_FEED, posts: 0, preview: "Engines\n\nhttps://blog.example.com/engines", warnings: [] }],
  }),
  success: { 201: "The new feed." },
  refusals: ["unknown_channel", "duplicate_channel", "too_many_entries", ...ADDRESS_REFUSALS],
  examples: {
    "Drafts of a blog": { url: "https://blog.example.com/feed.xml", channels: [SAMPLE.channel] },
    "Posts in the next free slots": {
      url: "https://blog.example.com/feed.xml",
      channels: [SAMPLE.channel],
      draft: false,
      publish_at: NEXT_SLOT,
      template: "New on the blog: {title}\n{link}",
    },
  },
});

export const changeFeed = operation({
  ...change,
  method: "PATCH",
  path: "/v1/feeds/:id",
  summary: "Change a feed",
  description:
    "Fields that are left out stay. With another `url`, the items that it has by then make no posts. From then on, posts are " +
    "made with the rights of the caller who changed the feed last.",
  params: z.object(buildIdParams(SAMPLE.feed)),
  body: z.strictObject(inputs).partial(),
  result: Feed,
  success: { 200: "The updated feed." },
  refusals: ["not_found", "unknown_channel", "duplicate_channel", ...ADDRESS_REFUSALS],
  examples: { "Pause it": { paused: true }, "Another text": { template: "{title} {link}" } },
});

export const removeFeed = operation({
  ...change,
  method: "DELETE",
  path: "/v1/feeds/:id",
  summary: "Delete a feed",
  description: "The posts that it has made stay.",
  params: z.object(buildIdParams(SAMPLE.feed)),
  success: { 204: "The feed is deleted." },
  refusals: ["not_found"],
});
