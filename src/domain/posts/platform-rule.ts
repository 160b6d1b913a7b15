/** A network's rule, as `GET /v1/platforms` prints it and as posts are checked against it. */
import type { ApiRule } from "../api-version.ts";
import type { Rechecks } from "../delivery/recheck.ts";
import type { PollRule } from "./poll.ts";

export const POST_TYPES = ["feed", "reel", "short", "story", "carousel", "article"] as const;
export type PostType = (typeof POST_TYPES)[number];

/** The kinds of files that people look at, which every part of the service takes. */
export const VISUAL_KINDS = ["image", "video"] as const;
export type VisualKind = (typeof VISUAL_KINDS)[number];
/** A document, such as a PDF, is uploaded as one and goes to networks that take documents only. */
const PUBLISHED_KINDS = [...VISUAL_KINDS, "document"] as const;

/** A captions file belongs to a video. It is uploaded as one, and only the option `captions` names it. */
export const MEDIA_KINDS = [...PUBLISHED_KINDS, "captions"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** `weighted`: some characters count more than others; the rule's `text_weighting` says how. */
export const TEXT_UNITS = ["characters", "graphemes", "utf16", "weighted"] as const;
export type TextUnit = (typeof TEXT_UNITS)[number];

export const TEXT_WEIGHTINGS = ["twitter_text_v3", "emoji_utf8", "mention_names"] as const;
/**
 * `twitter_text_v3`: counts like the public twitter-text library. A Latin character counts 1, a character of another script or
 * an emoji counts 2, and a link counts 23.
 * `emoji_utf8`: each emoji counts its UTF-8 bytes, every other character 1.
 * `mention_names`: a mention `@[Name](urn:li:organization:1)` counts as its name, everything else in the rule's unit.
 */
export type TextWeighting = (typeof TEXT_WEIGHTINGS)[number];

export const TEXT_PARTS = ["hashtags", "mentions", "links", "cashtags"] as const;
/** The elements of a text that a network may limit. The same link twice counts once. */
export type TextPart = (typeof TEXT_PARTS)[number];

export const GUARANTEES = ["exactly_once", "reconciled", "at_most_once"] as const;
/** The guarantee that a network allows us to give: see docs/delivery.md. */
type Guarantee = (typeof GUARANTEES)[number];

/** Limits of one file; an absent member means no limit. */
export interface FileLimits {
  /** Bytes of one file. */
  min_bytes?: number;
  max_bytes?: number;
  min_width?: number;
  min_height?: number;
  max_width?: number;
  /** Pixels of the shorter side. */
  min_side?: number;
  /** Pixels of the longer side. */
  max_side?: number;
  /** Pixels of the shorter side. */
  max_short_side?: number;
  /** Pixels of width plus height. */
  max_side_sum?: number;
  /** Width times height. */
  max_pixels?: number;
  /** Width divided by height. */
  min_aspect?: number;
  max_aspect?: number;
  /** Below this ratio, the network may refuse the file. Crier then gives a warning before publishing. */
  min_sure_aspect?: number;
  /** Longer side divided by shorter side. */
  max_ratio?: number;
  /** Characters of a file's alt text; absent or 0 if the network accepts none. */
  max_alt?: number;
  /** Seconds of a video. */
  min_seconds?: number;
  max_seconds?: number;
}
export interface FileRule extends FileLimits {
  /** Content types that the network accepts. */
  types: string[];
  /** Content types that are only accepted as the single file of a post. */
  alone?: string[];
  max_bytes: number;
  /** Limits that differ for one content type. */
  per_format?: Record<string, FileLimits>;
}
interface CaptionsRule extends FileRule {
  /** Captions files of one video. */
  max_files: number;
}
export interface MediaCounts {
  images: number;
  videos: number;
  mixed: boolean;
  /** Absent: none. A document is never mixed with images or videos. */
  documents?: number;
  /** Images and videos together, if they may be mixed. */
  total?: number;
}

/** Differences for one post type. */
export interface PostTypeRule {
  /** The text limit with or without files; 0 if this type has no text. */
  text_limit?: number;
  min_media?: number;
  media?: MediaCounts;
  image?: FileLimits;
  video?: FileLimits;
  document?: FileLimits;
  /** Options that this type requires. */
  required_options?: string[];
}

export const FILE_SCOPES = [...PUBLISHED_KINDS, "any"] as const;
export type FileScope = (typeof FILE_SCOPES)[number];

/** The conditions for an option to fit a post; an absent member is no condition. */
export interface OptionScope {
  post_types?: PostType[];
  /** The post has files, and all are of this kind. */
  media?: FileScope;
  /** Whether the post has a poll. */
  poll?: boolean;
}

/** US dollars that the network charges the owner of the app. */
interface Price {
  post: number;
  post_with_link: number;
  /** For each file with alt text, or with a value of one of `file_options`. */
  alt_text: number;
  /** Options that describe every file of a post. */
  file_options?: string[];
  /** For each entry of a list option that the network is asked about. */
  entries?: Record<string, number>;
  /** For each read of a published post; several reads in one UTC day cost once. */
  read: number;
}

/** The permissions that the owner of an account consents to, under the network's own names (OAuth scopes). */
export interface PermissionRule {
  /** The permissions to ask for unless `<PLATFORM>_SCOPES` says otherwise: no more than the smallest kind of app has. */
  asked: string[];
  /** Sets of permissions, each of which is enough to publish. */
  sufficient: string[][];
  /** Permissions that publishing does not need, each with a sentence about the effect of missing it. */
  optional: Record<string, string>;
}

/** The app and the account that publishing needs, and the effect of a review. */
export interface AccessRule {
  /** null if the network needs no app; the account's own credentials are enough. */
  app: {
    /** The type and the products of the app. */
    kind: string;
    /** The page where the app is registered. */
    page: string;
    /** The end of the redirect address: `BASE_URL/v1/channels/callback/<callback>`. */
    callback: string;
    /** The network's requirements for the redirect address. */
    redirect: string;
    /** Permissions that publishing needs, each with its purpose. */
    permissions: Record<string, string>;
  } | null;
  account: string;
  /** Which review there is, and what works before it. */
  review: string;
  limits: string;
  /** Possible problems, by a short name. */
  problems: Record<string, AccessProblem>;
}

/** The difference of accounts with a subscription at the network, or with another way of connecting. */
export interface TierRule {
  text_limit: number;
  caption_limit: number;
  /** Whether an app may take its posts down, if not as the rule says. */
  takedown?: boolean;
  /** Options that other tiers do not have. */
  only_options?: string[];
}
/** One of several ways to connect an account by a consent. */
export interface ConnectWay {
  /** The name that a connect link's `via` has; null: the usual way. */
  via: string | null;
  /** The sign-in, as people call it. */
  name: string;
  /** The site on which the owner consents. */
  site: string;
  /** A sentence for people who choose a way. */
  purpose: string;
  /** The tier of the accounts that are connected like this. */
  tier: string;
}

export interface LongTextRule {
  option: string;
  /** In the rule's `text_unit`. */
  limit: number;
}

/** Whether an app may change the text of a live post. */
interface EditRule {
  offered: boolean;
  /** The posts whose text it may change, if not all. */
  only?: Pick<OptionScope, "post_types" | "poll"> | undefined;
  /** Why it may not. */
  reason?: string | undefined;
}

interface AccessProblem {
  missing: string;
  /** How a person recognizes the problem. */
  sign: string;
  fix: string;
}

export interface PlatformRule {
  platform: string;
  /** The built-in version of the network's API. A setting of the deployment may name another version (`readApi`). */
  api: ApiRule;
  /** In `text_unit`. */
  text_limit: number;
  /** In `text_unit`; applies once a file is attached. */
  caption_limit: number;
  text_unit: TextUnit;
  text_weighting?: TextWeighting;
  /** A second limit in UTF-8 bytes, where the network has one. */
  text_max_bytes?: number;
  /** The limits of each tier of accounts, by the name that a channel's `tier` has. Absent if all accounts are alike. */
  tiers?: Record<string, TierRule>;
  /** An option that may hold a longer text, in place of the post's text. Absent if there is none. */
  long_text?: LongTextRule;
  text_parts?: Partial<Record<TextPart, number>>;
  /** The name of the list whose values can be inserted into a text. Absent if there is none. */
  text_lookup?: "mention";
  /** Characters that the network does not accept in a text. */
  text_without?: string[];
  media: MediaCounts;
  min_media: number;
  image: FileRule | null;
  video: FileRule | null;
  /** Absent if the network accepts no documents. */
  document?: FileRule;
  /** The captions of a video, in the option `captions`; absent if the network accepts none from an app. */
  captions?: CaptionsRule;
  /** The thumbnail of a video, in the option `thumbnail_media`; absent if the network accepts none from an app. */
  thumbnail?: FileRule;
  /** The option that names the thumbnail, if it is not `thumbnail_media`. */
  thumbnail_option?: "cover_media";
  post_types: PostType[];
  per_type: Partial<Record<PostType, PostTypeRule>>;
  /** Options that only fit a limited number of files, or (0) none. */
  options_max_media?: Record<string, number>;
  /** Options that only fit some posts. */
  options_go_with?: Record<string, OptionScope>;
  delivery_guarantee: Guarantee;
  auth: "credentials" | "oauth";
  /**
   * The ways to consent, if there are several, the usual one first. The app of another way has settings of its own:
   * `<PLATFORM>_<VIA>_CLIENT_ID`.
   */
  connect_ways?: ConnectWay[];
  /** Absent if the network's accounts are connected without a consent. */
  permissions?: PermissionRule;
  access: AccessRule;
  measures: boolean;
  /** Whether an app may take a post down. */
  takedown: boolean;
  edit: EditRule;
  /** Absent if the network has no threads. `max_parts`: how many parts may follow the post itself. */
  thread?: { max_parts: number };
  /** Absent if the network has no polls. */
  poll?: PollRule;
  /**
   * Posts that the network accepts from an app, all its channels together, from one midnight of the zone to the next, unless
   * it grants the app more. Absent if it publishes no limit.
   */
  app_posts_per_day?: { limit: number; timezone: string };
  /** Whether the network refuses a text that the account has just posted. */
  refuses_repeats?: true;
  price_usd?: Price;
  /** How often live posts are rechecked. Absent: `full`. */
  rechecks?: Rechecks;
  source: string;
  /** ISO date on which the numbers were last compared with the source. */
  verified_at: string;
}
