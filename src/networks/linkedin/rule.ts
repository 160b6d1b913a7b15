// LinkedIn's rule: learn.microsoft.com/en-us/linkedin/marketing, posts, images, multi-image and videos APIs, version 202609,
// as quoted by dated notes read 2026-11-20.
import * as z from "zod";
import { CAPTIONS_BYTES_MAX } from "../../domain/limits.ts";
import { DOCUMENT_TYPES } from "../../domain/media/types.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { captions } from "../shared/captions.ts";
import { FIRST_COMMENT } from "../shared/first-comment.ts";
import { thumbnailMedia } from "../shared/thumbnail.ts";
import { ACCESS } from "./access.ts";
import { reshare } from "./reshare.ts";
import { API } from "./version.ts";

const OPENID = ["openid", "profile"];
const BASIC_PROFILE = "r_basicprofile";
/** Scopes for a page: posts API and organization access control, read 2026-11-20. */
export const PAGE_SCOPES = ["w_organization_social", "r_organization_social", "rw_organization_admin"];
/** Member post statistics, read 2026-11-20. */
const MEMBER_ANALYTICS = "r_member_postAnalytics";
/**
 * Scopes for comments, of the product "Community Management API" alone: the comments API names them in place of w_member_social and
 * w_organization_social, and "Increasing access" lists them under no other product. Both pages, version 202608, read 2026-11-26.
 */
const MEMBER_COMMENTS = "w_member_social_feed";
export const PAGE_COMMENTS = "w_organization_social_feed";

export const rule: PlatformRule = {
  platform: "linkedin",
  api: API,
  // 3,000 units of the text before escaping, as tested by open-source publishers. The unit is not documented. UTF-16 units are
  // the safe choice, because they never give a lower count than characters.
  text_limit: 3_000,
  caption_limit: 3_000,
  text_unit: "utf16",
  // The limit is that of the visible text (open-source publishers' tests), in which a mention is its name: "little text" format,
  // version 202605, read 2026-11-27.
  text_weighting: "mention_names",
  text_lookup: "mention",
  // 2 to 20 images in one post: multi-image API.
  media: { images: 20, videos: 1, documents: 1, mixed: false },
  min_media: 0,
  image: {
    types: ["image/jpeg", "image/png", "image/gif"],
    // No page names a size in bytes, so the limit of our own uploads applies.
    max_bytes: 25_000_000,
    // Below 36,152,320 pixels: images API. 4,086 characters of alt text: posts API.
    max_pixels: 36_152_319,
    max_alt: 4_086,
  },
  // 75 KB to 500 MB, 3 s to 30 min: videos API. Another page says 5 GB.
  video: {
    types: ["video/mp4"],
    min_bytes: 75_000,
    max_bytes: 500_000_000,
    min_seconds: 3,
    max_seconds: 1_800,
  },
  // 100 MB and 300 pages of PDF, PPTX or DOCX (also PPT and DOC, which are not taken here): documents API, version 202411 as stored,
  // read 2026-11-27. LinkedIn counts the pages, before the post is made.
  document: { types: Object.keys(DOCUMENT_TYPES), max_bytes: 100_000_000 },
  // The videos API names no types and no size for a thumbnail, so these are the limits of still images.
  thumbnail: { types: ["image/jpeg", "image/png"], max_bytes: 25_000_000, max_pixels: 36_152_319 },
  // One SRT file for a video: videos API, from memory; its clients send `uploadCaptions` and metadata with the format SRT. No page
  // names a size, so the limit of our own uploads applies.
  captions: { types: ["application/x-subrip"], max_bytes: CAPTIONS_BYTES_MAX, max_files: 1 },
  post_types: ["feed", "article"],
  per_type: {
    // A card that links to an article, with one image at most as its thumbnail, which has no alt text: posts API.
    article: {
      media: { images: 1, videos: 0, mixed: false },
      image: { max_alt: 0 },
      required_options: ["article"],
    },
  },
  options_max_media: { media_title: 1, reshare: 0 },
  options_go_with: {
    article: { post_types: ["article"] },
    reshare: { post_types: ["feed"], poll: false },
    thumbnail_media: { media: "video", post_types: ["feed"] },
    captions: { media: "video", post_types: ["feed"] },
    document_title: { media: "document", post_types: ["feed"] },
  },
  // 2 to 4 options; one day, three days, one week or two weeks: Poll API, version 202501 as stored, read 2026-11-27. It names no
  // lengths. 30 characters of an option: publer.com/docs, polls, read 2026-11-27. 140 of the question are from memory.
  poll: {
    max_question: 140,
    min_options: 2,
    max_options: 4,
    max_option: 30,
    min_minutes: 1_440,
    max_minutes: 20_160,
    minutes: [1_440, 4_320, 10_080, 20_160],
  },
  // Pages can be searched after a lost answer; a member's posts cannot be read at all.
  delivery_guarantee: "at_most_once",
  auth: "oauth",
  // The products "Share on LinkedIn" and "Sign In with LinkedIn using OpenID Connect", which anyone may add to an app. An app
  // with "Community Management API" can have no other product, and has r_basicprofile instead of their scopes. If the consent
  // asks for one scope that the app does not have, LinkedIn refuses the whole consent:
  // gitroomhq/postiz-app pull request 1658, n8n-io/n8n pull request 7451,
  // verbb/social-poster issue 52, read 2026-11-24.
  permissions: {
    asked: [...OPENID, "w_member_social"],
    sufficient: [
      [...OPENID, "w_member_social"],
      [BASIC_PROFILE, "w_member_social"],
      [BASIC_PROFILE, ...PAGE_SCOPES],
      [...OPENID, ...PAGE_SCOPES],
    ],
    optional: {
      [MEMBER_ANALYTICS]: "Posts by a member have no figures. Posts by a page have them.",
      [MEMBER_COMMENTS]: "First comments under posts by a member are not posted.",
      [PAGE_COMMENTS]: "First comments under posts by a page are not posted.",
    },
  },
  access: ACCESS,
  measures: true,
  takedown: true,
  // Posts API, partial update of `commentary`, read 2026-11-20.
  edit: { offered: true },
  // 422 `DUPLICATE_POST`, "Content is a duplicate of urn:li:share:...", for a text that the account has just posted: answers of
  // the Posts API in github.com/Arisamiga/Linkedin-RSS, issue 5, read 2026-11-27. The documentation names no period.
  refuses_repeats: true,
  source: "https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api",
  verified_at: "2026-11-20",
};

export const Options = z.strictObject({
  visibility: z
    .enum(["PUBLIC", "CONNECTIONS", "LOGGED_IN"])
    .default("PUBLIC")
    .meta({ description: "Visibility of the post. A page can only use `PUBLIC`." }),
  article: z
    .strictObject({
      source: z.url({ protocol: /^https?$/ }).max(2_000),
      title: z.string().min(1).max(400),
      description: z.string().min(1).max(4_000).optional(),
    })
    .optional()
    .meta({ description: "Link card of an article. Required for that post type, and only allowed there." }),
  reshare,
  disable_reshare: z.boolean().default(false),
  // No page of the API names the longest comment: 1,250 characters from memory.
  first_comment: z
    .string()
    .min(1)
    .max(1_250)
    .optional()
    .meta({ description: `${FIRST_COMMENT} Most apps may post one for a page only.` }),
  thumbnail_media: thumbnailMedia,
  captions: captions(1),
  // No page of the API names the longest title; the app stops at 58 characters, from memory, so the limit of other titles applies.
  document_title: z.string().min(1).max(200).optional().meta({ description: "Title above the pages of a document." }),
  media_title: z.string().min(1).max(200).optional().meta({ description: "Title of the single image or video." }),
});
export type Options = z.output<typeof Options>;

export const Credential = z.object({
  access_token: z.string(),
  /** Null for self-serve apps, which get no refresh token. Their channel expires with its access token. */
  refresh_token: z.string().nullable(),
  /** When the access token was issued, epoch milliseconds; 0 if its owner supplied it without a date. */
  issued_at: z.number(),
  /** Epoch milliseconds. */
  expires_at: z.number().nullable(),
  /** The end of the grant, which renewals do not change; null if unknown, or if there is no refresh token. */
  refresh_expires_at: z.number().nullable(),
  /** The account that posts: `urn:li:person:..` or `urn:li:organization:..`. */
  author: z.string(),
});
export type Credential = z.output<typeof Credential>;

/** A video during its upload. `rest`: the chunks that the network still expects. `etags`: the tags of the uploaded chunks. */
const Video = z.object({
  urn: z.string(),
  upload_token: z.string(),
  /** Byte positions, both inclusive. */
  rest: z.array(z.object({ url: z.string(), first: z.int(), last: z.int() })),
  etags: z.array(z.string()),
  /** Where its thumbnail is uploaded; absent if it has none, or if the network has it. */
  thumbnail_url: z.string().optional(),
  /** Where its captions are uploaded; absent if it has none, or if the network has them. */
  captions_url: z.string().optional(),
});
export type Video = z.output<typeof Video>;
/** Uploaded files in publish order, and the video under way. */
const Upload = z.object({
  step: z.literal("upload"),
  media: z.array(z.string()),
  /** How many files of `media` the network has processed. */
  done: z.int(),
  /** When the last file of `media` was uploaded, in epoch milliseconds. */
  uploaded_at: z.number(),
  video: Video.nullable(),
});
export type Upload = z.output<typeof Upload>;
export const PublishKey = z.discriminatedUnion("step", [
  Upload,
  /** Everything is uploaded; `since` (epoch milliseconds) is before the post. `text` and `media` identify it. */
  z.object({
    step: z.literal("ready"),
    media: z.array(z.string()),
    since: z.number(),
    text: z.string(),
    /** The options of its poll, which also identify it; absent if it has none. */
    poll: z.array(z.string()).optional(),
  }),
]);
export type PublishKey = z.output<typeof PublishKey>;
