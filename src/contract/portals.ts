// Portals: a page for a client without an account, with all posts that wait for approval on some channels or with some labels.
import * as z from "zod";
import {
  COMMENT_LENGTH_MAX,
  LABEL_LENGTH_MAX,
  LIST_LIMIT_DEFAULT,
  PORTAL_CHANNELS_MAX,
  PORTAL_LABELS_MAX,
  PORTAL_LIFE_DEFAULT_S,
  PORTAL_LIFE_MAX_S,
  PORTAL_POSTS_MAX,
  PORTALS_MAX,
  REASON_LENGTH_MAX,
  REVIEWER_LENGTH_MAX,
} from "../domain/limits.ts";
import { MEDIA_KINDS } from "../domain/posts/platform-rule.ts";
import { POST_STATUSES } from "../domain/posts/post.ts";
import { Brand, BrandInput, ShownBrand } from "./brand.ts";
import { Comment } from "./comments.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import {
  about,
  buildIdParams,
  cursor,
  id,
  instant,
  jsonValue,
  limit,
  line,
  name,
  page,
  pathId,
  refuseAs,
  text,
  untrusted,
} from "./shapes.ts";

const channels = z.array(id).min(1).max(PORTAL_CHANNELS_MAX);
const labels = z.array(line(LABEL_LENGTH_MAX)).min(1).max(PORTAL_LABELS_MAX);
const expiresIn = z
  .int()
  .min(60)
  .max(PORTAL_LIFE_MAX_S)
  .optional()
  .meta(
    about(
      `Seconds from now until the portal ends: at most ${PORTAL_LIFE_MAX_S} (90 days), by default ${PORTAL_LIFE_DEFAULT_S} (30 days).`,
    ),
  );

const scope = {
  channels: channels
    .nullable()
    .optional()
    .meta(about("Posts whose channels are all in this list. Send either `channels` or `labels`.")),
  labels: labels.nullable().optional().meta(about("Posts with one of these labels, on any channel.")),
  brand: BrandInput.nullable().optional(),
  expires_in: expiresIn,
};

const SAMPLE_PORTAL = {
  id: SAMPLE.portal,
  name: "Northwind",
  channels: [SAMPLE.channel],
  labels: null,
  brand: null,
  is_active: true,
  created_by: SAMPLE.user,
  created_at: SAMPLE.created,
  expires_at: "2026-12-21T08:30:00.000Z",
};
export const Portal = z
  .object({
    id,
    name: z.string(),
    channels: z.array(id).nullable(),
    labels: z.array(z.string()).nullable(),
    brand: Brand.nullable(),
    is_active: z
      .boolean()
      .meta(about("False if its creator may no longer publish. The portal is closed for as long as that is so.")),
    created_by: id.meta(about("The user or key that created it.")),
    created_at: instant,
    expires_at: instant,
  })
  .meta({ id: "Portal", examples: [SAMPLE_PORTAL] });

const management = {
  ...plain,
  auth: "key_or_session",
  ability: "publish",
  wholeWorkspace: true,
  tag: "Portals",
} as const;

export const createPortal = operation({
  ...management,
  method: "POST",
  path: "/v1/portals",
  summary: "Create a portal for a client",
  description:
    "For people without an account. The page lists all posts awaiting approval on these channels or with these labels, and " +
    "accepts decisions, each with a name and for exactly the version that was shown. It ends after `expires_in`, or when its " +
    "creator may no longer publish.",
  body: z.strictObject({ name, ...scope }),
  result: Portal.extend({ url: z.string().meta(about("Returned in this response only.")) }).meta({
    examples: [{ ...SAMPLE_PORTAL, url: `https://crier.example.com/portal/${"e".repeat(43)}` }],
  }),
  success: { 201: "The portal. Anyone who has its address can decide." },
  refusals: ["missing_field", "unknown_channel", "unknown_media", "too_many_portals"],
  examples: {
    "For two weeks": { name: "Northwind", channels: [SAMPLE.channel], expires_in: 1_209_600 },
    "By label": { name: "Northwind", labels: ["northwind"], brand: { name: "Ada & Co.", accent: "#0b57d0" } },
  },
});

export const listPortals = operation({
  ...management,
  method: "GET",
  path: "/v1/portals",
  summary: "List portals",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("portals", Portal),
  success: { 200: `A page of portals, newest first, without expired ones. A workspace has at most ${PORTALS_MAX}.` },
  refusals: ["unreadable_cursor"],
});

export const changePortal = operation({
  ...management,
  method: "PATCH",
  path: "/v1/portals/:id",
  summary: "Change a portal",
  description: "Its address stays the same. `channels` replaces `labels`, and `labels` replaces `channels`.",
  params: z.object(buildIdParams(SAMPLE.portal)),
  body: z.strictObject({ name: name.optional(), ...scope }),
  result: Portal,
  success: { 200: "The portal." },
  refusals: ["not_found", "missing_field", "unknown_channel", "unknown_media"],
  examples: { "Thirty more days": { expires_in: 2_592_000 }, Rename: { name: "Northwind Traders" } },
});

export const removePortal = operation({
  ...management,
  method: "DELETE",
  path: "/v1/portals/:id",
  summary: "Remove a portal",
  params: z.object(buildIdParams(SAMPLE.portal)),
  success: { 204: "The portal's address no longer works." },
  refusals: ["not_found"],
});

const ShownFile = z.object({
  kind: z.enum(MEDIA_KINDS),
  url: z.string().nullable().meta(about("Null if this deployment has no address for the file.")),
  is_stored: z.boolean().meta(about("False if the file is on a host of others.")),
  alt: z.string().nullable(),
  is_adapted: z.boolean().meta(about("True if the image was converted for this channel.")),
});
const ShownPost = z.object({
  post: id,
  rev: z.int(),
  content_tag: z.string(),
  comments: z
    .array(Comment)
    .meta(about("What visitors of portals wrote about it, newest first. Comments of members are not shown.")),
  publish_at: instant.nullable().meta(about("Null: as soon as it is approved.")),
  timezone: z.string(),
  is_late: z.boolean().meta(about("True if its time has passed. It can then only be declined.")),
  channels: z.array(
    z.object({
      platform: z.string(),
      handle: z.string(),
      name: z.string().nullable(),
      post_type: z.string().nullable(),
      parts: z.array(z.object({ text: z.string(), files: z.array(ShownFile) })),
      thumbnail: ShownFile.nullable(),
      options: z.record(z.string(), jsonValue),
    }),
  ),
});
const decision = z.enum(["approve", "decline"]);
const Decided = z.object({
  post: id,
  decision,
  by: z.string().meta(untrusted()),
  reason: z.string().nullable().meta(untrusted()),
  at: instant,
  status: z
    .enum(POST_STATUSES)
    .nullable()
    .meta(about("The post's current status; null if it was deleted or is no longer one of these posts.")),
  text: z
    .string()
    .nullable()
    .meta(about("The beginning of the text that was decided on; null if the post has other content now.")),
});

const tokenParams = { token: pathId.meta({ examples: ["e".repeat(43)] }) };
const visit = { ...plain, auth: "none", isSecret: true, tag: "Portals" } as const;

export const openPortal = operation({
  ...visit,
  method: "GET",
  path: "/v1/portal/:token",
  summary: "Open a portal",
  description: "For the portal's visitors: `token` is the last part of its address.",
  params: z.object(tokenParams),
  query: z.object({ cursor }),
  result: z
    .object({
      name: z.string(),
      brand: ShownBrand.nullable(),
      expires_at: instant,
      posts: z
        .array(ShownPost)
        .meta(
          about(
            `Posts awaiting approval by time, at most ${PORTAL_POSTS_MAX}. A page can have fewer although \`next\` is set.`,
          ),
        ),
      decided: z.array(Decided).meta(about("The latest decisions in this portal, newest first.")),
      next: z
        .string()
        .nullable()
        .meta({ description: "`cursor` of the next page; null on the last one.", examples: [null] }),
    })
    .meta({
      id: "OpenPortal",
      examples: [
        {
          name: "Northwind",
          brand: null,
          expires_at: "2026-12-21T08:30:00.000Z",
          posts: [
            {
              post: SAMPLE.post,
              rev: 1,
              content_tag: "c5d1a0",
              comments: [],
              publish_at: SAMPLE.due,
              timezone: "Europe/Berlin",
              is_late: false,
              channels: [
                {
                  platform: SAMPLE.platform,
                  handle: "@ada",
                  name: "Ada",
                  post_type: null,
                  parts: [{ text: "The engine is ready.", files: [] }],
                  thumbnail: null,
                  options: {},
                },
              ],
            },
          ],
          decided: [],
          next: null,
        },
      ],
    }),
  success: { 200: "The posts that await a decision." },
  refusals: ["not_found", "unreadable_cursor", "rate_limited"],
});

export const decideInPortal = operation({
  ...visit,
  method: "POST",
  path: "/v1/portal/:token/decisions",
  summary: "Decide on posts in a portal",
  description:
    "Each decision applies to exactly the version that `rev` and `content_tag` name, and has its own result: a post that was changed " +
    "is not decided on.",
  params: z.object(tokenParams),
  body: z.strictObject({
    name: text(REVIEWER_LENGTH_MAX).meta(about("Who decides. The workspace keeps the name.")),
    decisions: z
      .array(
        z.strictObject({
          post: id,
          rev: z.int().min(1),
          content_tag: z.string().max(100),
          decision,
          reason: text(REASON_LENGTH_MAX).optional().meta(about("Required to decline.")),
        }),
      )
      .min(1)
      .max(PORTAL_POSTS_MAX),
  }),
  result: z
    .object({
      decisions: z.array(
        z.object({
          post: id,
          result: z
            .enum(["approved", "declined", "changed", "closed", "refused", "own_change"])
            .meta(
              about(
                "`changed`: the post has another version; `closed`: it no longer awaits approval here; `refused`: it cannot be scheduled as it " +
                  "is, which the workspace has to fix; `own_change`: its last editor created the portal, and the workspace requires two people.",
              ),
            ),
          due_at: instant.nullable().meta(about("When an approved post is published.")),
        }),
      ),
    })
    .meta({
      id: "PortalDecisions",
      examples: [{ decisions: [{ post: SAMPLE.post, result: "approved", due_at: SAMPLE.due }] }],
    }),
  success: { 200: "A result for each decision, in the same order." },
  refusals: ["not_found", "missing_field", "rate_limited"],
  examples: {
    "Approve one": {
      name: "Clara",
      decisions: [{ post: SAMPLE.post, rev: 1, content_tag: "c5d1a0", decision: "approve" }],
    },
    "Decline one": {
      name: "Clara",
      decisions: [
        { post: SAMPLE.post, rev: 1, content_tag: "c5d1a0", decision: "decline", reason: "Not before Monday." },
      ],
    },
  },
});

export const commentInPortal = operation({
  ...visit,
  method: "POST",
  path: "/v1/portal/:token/comments",
  summary: "Comment on a post in a portal",
  description: "Members read the comment with the post's other comments. It decides nothing.",
  params: z.object(tokenParams),
  body: z.strictObject({
    post: id,
    name: text(REVIEWER_LENGTH_MAX).meta(about("Who comments.")),
    text: text(COMMENT_LENGTH_MAX).refine((value) => value.trim() !== "", refuseAs("invalid_field")),
  }),
  result: Comment,
  success: { 201: "The new comment." },
  refusals: ["not_found", "too_many_entries", "rate_limited"],
  examples: { "A remark": { post: SAMPLE.post, name: "Clara", text: "Could the logo be larger?" } },
});
