// Threads for a client program. For the format of handed-over tokens, see containers/tokens.ts.

import { imageSize } from "image-size";
import { avatarUrl } from "./avatar.ts";
import { type Account, type Container, listChildren } from "./containers/accounts.ts";
import { type Fields, formatTime, GraphError, invalidParameter, parseBoolean } from "./containers/graph.ts";
import type { Network } from "./containers/network.ts";
import { containerSimulator } from "./containers/simulator.ts";
import type { LedgerMedia } from "./ledger.ts";
import type { Simulator, World } from "./simulator.ts";
import { readAttachments, readPoll } from "./threads/attachments.ts";

// Limits of developers.facebook.com/documentation/threads, overview and posts, read 2026-11-20.
const TEXT_MAX = 500;
const LINKS_MAX = 5;
const ALT_MAX = 1_000;
const CAROUSEL_MIN = 2;
const CAROUSEL_MAX = 20;
const IMAGE_BYTES_MAX = 8_000_000;
const IMAGE_RATIO_MAX = 10;
const VIDEO_BYTES_MAX = 1_000_000_000;
const POSTS_MAX = 250;
const REPLIES_MAX = 1_000;
const SCOPES = [
  "threads_basic",
  "threads_content_publish",
  "threads_manage_insights",
  "threads_delete",
  "threads_manage_replies",
  "threads_read_replies",
  "threads_location_tagging",
];
const REPLY_CONTROLS = [
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
];
/** Polls during which a container is unfinished. */
const LOOKS = { TEXT: 0, IMAGE: 1, VIDEO: 2, CAROUSEL: 1 };

type Draft = Omit<Container, "id" | "madeAt" | "published">;

/**
 * The page on which a consent with the Meta app's id ends: quoted in four public repositories, and in
 * brightbeanxyz/brightbean-studio issue 45, read 2026-11-26.
 */
const showRefusedApp = () => {
  const error_message = "Authorization Failed: No app ID was sent with the request.";
  return Response.json({ error_message, error_code: 4476002 }, { status: 400 });
};

export function createSimulator(world: World): Simulator {
  const mediaNotFound = () =>
    new GraphError(24, 4279009, "The requested resource does not exist", {
      said: "The media with the ID provided cannot be found.",
    });

  const network: Network = {
    sign: {
      platform: "threads",
      grant: "th",
      scopes: SCOPES,
      smallest: ["threads_basic", "threads_content_publish", "threads_manage_replies", "threads_manage_insights"],
      showRefusedApp,
      basic: "threads_basic",
      // A number of any size.
      shortLived: (token, account) => `{"access_token":"${token}","user_id":${account.id}}`,
    },
    paths: { posts: "threads", publish: "threads_publish", quota: "threads_publishing_limit" },
    calls: { container: "threads-container", post: "threads-media", list: "threads-list" },
    version: /^v1\.0$/,
    appTokens: true,
    scopes: {
      basic: "threads_basic",
      publish: "threads_content_publish",
      insights: "threads_manage_insights",
      comment: "threads_manage_replies",
      replies: "threads_read_replies",
      // threads/create-posts/location-tagging, read 2026-11-22.
      location: "threads_location_tagging",
      delete: "threads_delete",
    },
    state: { status: "status", problem: "error_message" },
    postsMax: POSTS_MAX,
    repliesMax: REPLIES_MAX,
    marks: ["links", "names", "tags"],
    refusals: {
      notReady: mediaNotFound,
      // The answer to a second publish is undocumented.
      published: mediaNotFound,
      gone: mediaNotFound,
      // The answer to a used-up quota is undocumented too.
      quota: () => new GraphError(4, undefined, "(#4) Application request limit reached", { status: 403 }),
    },
    me: ({ id, username }) => ({
      id,
      username,
      name: username.toUpperCase(),
      threads_profile_picture_url: avatarUrl("scontent.cdninstagram.com", id),
      threads_biography: "",
      is_verified: false,
    }),
    make,
    view: ({ id, shortcode, publishedAt, container }, account) => ({
      id,
      shortcode,
      media_product_type: "THREADS",
      media_type: { TEXT: "TEXT_POST", CAROUSEL: "CAROUSEL_ALBUM" }[container.mediaType] ?? container.mediaType,
      permalink: permalink(shortcode, account),
      username: account.username,
      owner: { id: account.id },
      text: container.text === "" ? undefined : container.text,
      timestamp: formatTime(publishedAt),
      children: listChildren({ id, container }),
      is_quote_post: false,
      has_replies: false,
    }),
    permalink: ({ shortcode }, account) => permalink(shortcode, account),
    metrics: () => ["views", "likes", "replies", "reposts", "quotes", "shares"],
    // Replies are listed under the post that they answer.
    isListed: ({ container }) => container.detail.reply_to === undefined,
  };

  function permalink(shortcode: string, { username }: Account): string {
    return `https://www.threads.net/@${username}/post/${shortcode}`;
  }

  async function make(account: Account, fields: Fields): Promise<Draft> {
    const type = fields.media_type;
    const isPart = parseBoolean(fields, "is_carousel_item") ?? false;
    const text = fields.text ?? "";
    if (fields.auto_publish_text !== undefined) throw invalidParameter("auto_publish_text is not simulated");
    if (type !== "TEXT" && type !== "IMAGE" && type !== "VIDEO" && type !== "CAROUSEL")
      throw invalidParameter("Param media_type must be one of {CAROUSEL, IMAGE, TEXT, VIDEO}");
    if (isPart && (type === "TEXT" || type === "CAROUSEL")) throw invalidParameter("Invalid carousel item");
    checkText(text, fields, type);
    const { reply_to_id: repliesTo } = fields;
    if (repliesTo !== undefined && !account.posts.some(({ id, deleted }) => id === repliesTo && !deleted))
      throw invalidParameter(`Param reply_to_id: ${repliesTo} is no post`);
    checkExtras(fields, type);
    const extras = [
      ...["topic_tag", "reply_control", "location_id", "link_attachment", "is_spoiler_media"],
      ...["quote_post_id", "enable_reply_approvals"],
    ];
    const detail: Record<string, unknown> = Object.fromEntries(
      extras.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    );
    const poll = readPoll(fields, type);
    if (poll !== null) detail.poll = poll;
    Object.assign(detail, readAttachments(fields, type, text));
    const quoted = fields.quote_post_id;
    const own = account.posts.find(({ id }) => id === quoted);
    if (quoted !== undefined && (own?.deleted === true || (own === undefined && !/^9\d+$/.test(quoted))))
      throw invalidParameter(`Param quote_post_id: ${quoted} is no post`);
    if (repliesTo !== undefined) Object.assign(detail, { comment_on: repliesTo, reply_to: repliesTo });
    const draft = { looksLeft: LOOKS[type], problem: null, isPart, mediaType: type, text, detail, files: [] };
    if (type === "TEXT") {
      if (text.trim() === "") throw invalidParameter("The parameter text is required.");
      return draft;
    }
    if (type === "CAROUSEL") return { ...draft, files: resolveChildFiles(account, fields) };
    const { file, problem } = type === "IMAGE" ? await image(fields) : await video(fields);
    return { ...draft, problem, files: file === null ? [] : [{ ...file, alt: fields.alt_text ?? null }] };
  }

  function resolveChildFiles(account: Account, { children = "" }: Fields): LedgerMedia[] {
    const ids = children.split(",").filter((id) => id !== "");
    if (ids.length < CAROUSEL_MIN || ids.length > CAROUSEL_MAX)
      throw invalidParameter(`Param children must have ${CAROUSEL_MIN} to ${CAROUSEL_MAX} elements`);
    return ids.flatMap((id) => {
      const childContainer = account.containers.get(id);
      if (childContainer?.isPart !== true) throw invalidParameter(`Param children: ${id} is no carousel item`);
      // A carousel cannot contain an item that is not ready or has failed.
      if (childContainer.looksLeft > 0 || childContainer.problem !== null) throw mediaNotFound();
      return childContainer.files;
    });
  }

  const notFetched = () =>
    new GraphError(1, 2207052, "The media could not be fetched from this URI", {
      said: "The media could not be fetched from this URI. Please check the limits.",
    });

  async function image({ image_url: url = "" }: Fields) {
    if (!URL.canParse(url)) throw invalidParameter("The parameter image_url is required.");
    const fetched = await world.files.download(url);
    if (fetched === null || !["image/jpeg", "image/png"].includes(fetched.type)) throw notFetched();
    if (fetched.bytes > IMAGE_BYTES_MAX) throw notFetched();
    const { width, height } = measureImage(fetched.content);
    if (Math.max(width, height) > IMAGE_RATIO_MAX * Math.min(width, height))
      throw invalidParameter("The aspect ratio of the image is not supported");
    const { bytes, type, sha256 } = fetched;
    return { file: { bytes, type, sha256 }, problem: null };
  }

  /** Videos are fetched later, so a fault in one appears in its container. */
  async function video({ video_url: url = "" }: Fields) {
    if (!URL.canParse(url)) throw invalidParameter("The parameter video_url is required.");
    const fetched = await world.files.download(url);
    if (fetched === null) return { file: null, problem: "FAILED_DOWNLOADING_VIDEO" };
    const { bytes, type, sha256 } = fetched;
    const problem =
      !["video/mp4", "video/quicktime"].includes(type) || bytes > VIDEO_BYTES_MAX ? "FAILED_PROCESSING_VIDEO" : null;
    return { file: { bytes, type, sha256 }, problem };
  }

  const demo = { handle: "crier_demo", credentials: { access_token: "access-for-crier_demo" } };
  return containerSimulator(world, network, demo);
}

function checkText(text: string, { link_attachment: link }: Fields, type: string): void {
  if (countTextLength(text) > TEXT_MAX)
    throw new GraphError(100, undefined, `Param text must be at most ${TEXT_MAX} characters long.`);
  if (link !== undefined && (type !== "TEXT" || !URL.canParse(link)))
    throw invalidParameter("Param link_attachment must be a URL of a text-only post");
  const links = new Set([...text.matchAll(/https?:\/\/[^\s]+/g)].map(([address]) => address));
  if (link !== undefined) links.add(link);
  if (links.size > LINKS_MAX)
    throw new GraphError(100, undefined, "THREADS_API__LINK_LIMIT_EXCEEDED", {
      said: `A post can have at most ${LINKS_MAX} links.`,
    });
}

function checkExtras(fields: Fields, type: string): void {
  const { alt_text: alt, topic_tag: topic, reply_control: control, location_id: location } = fields;
  if (alt !== undefined && ([...alt].length > ALT_MAX || (type !== "IMAGE" && type !== "VIDEO")))
    throw invalidParameter(`Param alt_text must be at most ${ALT_MAX} characters, of an image or video`);
  if (topic !== undefined && !/^[^.&]{1,50}$/u.test(topic)) throw invalidParameter("Param topic_tag is invalid");
  if (control !== undefined && !REPLY_CONTROLS.includes(control))
    throw invalidParameter("Param reply_control is invalid");
  if (location !== undefined && !/^\d+$/.test(location)) throw invalidParameter("Param location_id is invalid");
  if (parseBoolean(fields, "is_spoiler_media") === true && type === "TEXT")
    throw invalidParameter("Param is_spoiler_media needs media");
}

/** Emoji count their UTF-8 bytes, everything else one: threads/posts, read 2026-11-20. */
function countTextLength(text: string): number {
  const graphemes = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)];
  return graphemes.reduce((sum, { segment }) => {
    const isEmoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(segment);
    return sum + (isEmoji ? Buffer.byteLength(segment) : [...segment].length);
  }, 0);
}

function measureImage(content: Uint8Array): { width: number; height: number } {
  try {
    return imageSize(content);
  } catch {
    return { width: 1, height: 1 };
  }
}
