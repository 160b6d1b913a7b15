// Instagram with Instagram Login for a client program. For the format of handed-over tokens, see containers/tokens.ts. An
// account whose name ends in `_personal` is a personal account.

import { imageSize } from "image-size";
import { avatarUrl } from "./avatar.ts";
import type { Account, Container, Post } from "./containers/accounts.ts";
import { figure, listChildren } from "./containers/accounts.ts";
import { type Fields, formatTime, GraphError, invalidParameter, parseBoolean } from "./containers/graph.ts";
import type { Network } from "./containers/network.ts";
import { containerSimulator } from "./containers/simulator.ts";
import { GRAPH_VERSIONS } from "./containers/versions.ts";
import { checkCaption, checkExtras, checkPartnership, type Type } from "./instagram/checks.ts";
import { describeExtras, describePartnership, joinFacts, readCover } from "./instagram/extras.ts";
import type { Simulator, World } from "./simulator.ts";

// Limits of developers.facebook.com/documentation/instagram-platform, content publishing and ig-user/media, read 2026-11-20.
const CAROUSEL_MIN = 2;
const CAROUSEL_MAX = 10;
const IMAGE_BYTES_MAX = 8_388_608;
// 3:4 is accepted: mvdicarlo/postybirb pull request 762, read 2026-11-24.
const ASPECT_MIN = 0.75;
const ASPECT_MAX = 1.91;
const REEL_BYTES_MAX = 300_000_000;
const STORY_BYTES_MAX = 100_000_000;
/** One page of Meta says 100 posts, and two pages say 50. */
const POSTS_MAX = 50;
const SCOPES = [
  "instagram_business_basic",
  "instagram_business_content_publish",
  "instagram_business_manage_insights",
  "instagram_business_manage_comments",
  "instagram_business_manage_messages",
];
/** How many polls report a container as unfinished. */
const LOOKS: Record<Type, number> = { IMAGE: 1, VIDEO: 2, REELS: 2, STORIES: 1, CAROUSEL: 1 };

type Draft = Omit<Container, "id" | "madeAt" | "published">;

const COMMON_METRICS = ["views", "reach", "likes", "comments", "saved", "shares", "total_interactions"];

/** A page of Instagram on which a consent ends. */
const endConsent = (error_message: string) =>
  Response.json({ error_type: "OAuthException", code: 400, error_message }, { status: 400 });

export function createSimulator(world: World): Simulator {
  const network: Network = {
    sign: {
      platform: "instagram",
      grant: "ig",
      scopes: SCOPES,
      smallest: SCOPES.filter((scope) => scope !== "instagram_business_manage_messages"),
      // Joomline/slogin issue 112, read 2026-11-24: the scope exists, but the app does not have it.
      showRefusedScopes: (refused) => endConsent(`Invalid scope: [${refused.map((scope) => `'${scope}'`).join(", ")}]`),
      // alexandrtovmach/react-instagram-login issue 2, read 2026-11-26.
      showRefusedApp: () => endConsent("Invalid platform app"),
      // loicnestler/instagram-basic-display issue 2; the same words in 2025: jsmrtn/craftagram issue 86. Both read 2026-11-26.
      showMissingRole: () => endConsent("Insufficient developer role"),
      basic: "instagram_business_basic",
      shortLived: (access_token, account, scopes) =>
        JSON.stringify({ data: [{ access_token, user_id: account.id, permissions: scopes.join(",") }] }),
    },
    paths: { posts: "media", publish: "media_publish", quota: "content_publishing_limit" },
    calls: { container: "ig-container", post: "ig-media", list: "media-list" },
    version: GRAPH_VERSIONS,
    turnsCommentsOff: true,
    isPageToken: (token) => token?.startsWith("EAA") === true,
    scopes: {
      basic: "instagram_business_basic",
      publish: "instagram_business_content_publish",
      insights: "instagram_business_manage_insights",
      comment: "instagram_business_manage_comments",
      replies: null,
      location: null,
      // Tokens of Instagram Login cannot delete.
      delete: null,
    },
    state: { status: "status_code", problem: "status" },
    postsMax: POSTS_MAX,
    repliesMax: null,
    marks: ["names", "tags"],
    refusals: {
      notReady: () =>
        new GraphError(9007, 2207027, "Media ID is not available", {
          said: "The media is not ready for publishing, please wait for a moment",
        }),
      // The answer to a second publish is undocumented.
      published: () => new GraphError(24, 2207008, "The requested resource does not exist"),
      gone: () => new GraphError(24, 2207008, "The requested resource does not exist"),
      quota: () =>
        new GraphError(9, 2207042, "Application request limit reached", {
          status: 403,
          said: "You reached maximum number of posts that is allowed to be published by Content Publishing API.",
        }),
    },
    me: ({ id, username }) => ({
      id: `2${id.slice(1)}`,
      user_id: id,
      username,
      name: username.toUpperCase(),
      account_type: username.endsWith("_personal") ? "PERSONAL" : "BUSINESS",
      profile_picture_url: avatarUrl("scontent.cdninstagram.com", id),
    }),
    make,
    view: (post, account) => ({
      id: post.id,
      ig_id: post.id,
      caption: post.container.text === "" ? undefined : post.container.text,
      media_type: MEDIA_TYPES[post.container.mediaType] ?? (isVideo(post) ? "VIDEO" : "IMAGE"),
      media_product_type: getProductType(post),
      children: listChildren(post),
      permalink: permalink(post, account),
      shortcode: post.shortcode,
      timestamp: formatTime(post.publishedAt),
      username: account.username,
      is_comment_enabled: post.isCommentEnabled ?? true,
      like_count: figure(post.id, "likes"),
      comments_count: figure(post.id, "comments"),
    }),
    permalink,
    metrics: (post) =>
      ({
        FEED: [...COMMON_METRICS, "follows", "profile_visits"],
        REELS: [...COMMON_METRICS, "ig_reels_avg_watch_time", "ig_reels_video_view_total_time", "reels_skip_rate"],
        STORY: ["views", "reach", "shares", "replies", "navigation"],
      })[getProductType(post)],
    isListed: (post) => getProductType(post) !== "STORY",
  };

  function permalink(post: Post, { username }: Account): string {
    const product = getProductType(post);
    if (product === "STORY") return `https://www.instagram.com/stories/${username}/${post.id}`;
    return `https://www.instagram.com/${product === "REELS" ? "reel" : "p"}/${post.shortcode}/`;
  }

  async function make(account: Account, fields: Fields): Promise<Draft> {
    const isPart = parseBoolean(fields, "is_carousel_item") ?? false;
    const type = readMediaType(fields, isPart);
    const text = isPart || type === "STORIES" ? "" : (fields.caption ?? "");
    checkCaption(text);
    checkExtras(fields, type, isPart);
    checkPartnership(fields);
    const extras = [
      "share_to_feed",
      "thumb_offset",
      "trial_params",
      "collaborators",
      "location_id",
      "is_ai_generated",
      "audio_name",
      "user_tags",
      "cover_url",
      "is_paid_partnership",
      "branded_content_sponsor_ids",
    ];
    const detail = Object.fromEntries(
      extras.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    );
    const draft = { looksLeft: LOOKS[type], problem: null, isPart, mediaType: type, text, detail, files: [] };
    if (type === "CAROUSEL") {
      const children = resolveChildren(account, fields);
      const facts = { ...joinFacts(children.map((child) => child.facts ?? {})), ...describePartnership(fields) };
      return { ...draft, files: children.flatMap(({ files }) => files), facts };
    }
    const cover = await readCover(fields, (url) => world.files.download(url));
    const ofFile = { facts: describeExtras(fields), ...(cover && { cover }) };
    const { file, problem } =
      type === "IMAGE" || (type === "STORIES" && fields.video_url === undefined)
        ? await image(fields, type)
        : await video(fields, type);
    return { ...draft, ...ofFile, problem, files: file === null ? [] : [{ ...file, alt: fields.alt_text ?? null }] };
  }

  function resolveChildren(account: Account, { children = "" }: Fields): Container[] {
    const ids = children.split(",").filter((id) => id !== "");
    if (ids.length < CAROUSEL_MIN || ids.length > CAROUSEL_MAX)
      throw new GraphError(100, 2207028, "Carousel Validation Failed", {
        said: `Carousels need to have at least ${CAROUSEL_MIN} photos/videos and no more than ${CAROUSEL_MAX}.`,
      });
    return ids.map((id) => {
      const childContainer = account.containers.get(id);
      if (childContainer?.isPart !== true) throw new GraphError(24, 2207008, "The requested resource does not exist");
      if (childContainer.looksLeft > 0 || childContainer.problem !== null) throw network.refusals.notReady();
      return childContainer;
    });
  }

  async function image({ image_url: url = "" }: Fields, type: Type) {
    if (!URL.canParse(url)) throw invalidParameter("The parameter image_url is required.");
    const fetched = await world.files.download(url);
    if (fetched?.type !== "image/jpeg")
      throw new GraphError(9004, 2207052, "Only photo or video can be accepted as media type.", {
        said: "The media could not be fetched from this URI.",
      });
    const { bytes, sha256, content } = fetched;
    if (bytes > IMAGE_BYTES_MAX)
      throw new GraphError(36000, 2207004, "The image size is too large.", {
        said: "The image is too large to download. It should be less than 8 MiB.",
      });
    const aspect = computeAspectRatio(content);
    if (type === "IMAGE" && aspect !== null && (aspect < ASPECT_MIN || aspect > ASPECT_MAX))
      throw new GraphError(36003, 2207009, "The aspect ratio is not supported.", {
        said: "The submitted image with aspect ratio cannot be published. Please submit an image with a valid aspect ratio.",
      });
    return { file: { bytes, type: fetched.type, sha256 }, problem: null };
  }

  /** Videos are fetched later, so a fault in one appears in its container. */
  async function video({ video_url: url = "" }: Fields, type: Type) {
    if (!URL.canParse(url)) throw invalidParameter("The parameter video_url is required.");
    const fetched = await world.files.download(url);
    const failed = (subcode: number) => `Error: Media upload has failed with error code ${subcode}`;
    if (fetched === null) return { file: null, problem: failed(2207077) };
    const { bytes, sha256 } = fetched;
    const isVideo = ["video/mp4", "video/quicktime"].includes(fetched.type);
    const max = type === "STORIES" ? STORY_BYTES_MAX : REEL_BYTES_MAX;
    const problem = !isVideo || bytes > max ? failed(2207026) : null;
    return { file: { bytes, type: fetched.type, sha256 }, problem };
  }

  const demo = { handle: "crier_demo", credentials: { access_token: "access-for-crier_demo" } };
  return containerSimulator(world, network, demo);
}

const MEDIA_TYPES: Record<string, string> = { IMAGE: "IMAGE", REELS: "VIDEO", CAROUSEL: "CAROUSEL_ALBUM" };
const isVideo = ({ container }: Post) => container.files[0]?.type.startsWith("video/") === true;

function getProductType({ container }: Post): "FEED" | "REELS" | "STORY" {
  if (container.mediaType === "STORIES") return "STORY";
  return container.mediaType === "REELS" ? "REELS" : "FEED";
}

function readMediaType({ media_type: type, image_url }: Fields, isPart: boolean): Type {
  if (type === undefined && image_url !== undefined) return "IMAGE";
  if (type === "VIDEO" && isPart) return "VIDEO";
  if (!isPart && (type === "REELS" || type === "STORIES" || type === "CAROUSEL")) return type;
  // A single video has to be a reel since 2023-07-01.
  throw new GraphError(100, 2207023, "The media type is unknown.", { said: `The media type ${type} is unknown.` });
}

/** Width divided by height; null if the bytes do not have both. */
function computeAspectRatio(content: Uint8Array): number | null {
  try {
    const { width, height } = imageSize(content);
    return width / height;
  } catch {
    return null;
  }
}
