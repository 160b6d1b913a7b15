// What Instagram refuses when a container is made: developers.facebook.com/documentation/instagram-platform, ig-user/media,
// read 2026-11-20.
import { type Fields, GraphError, invalidParameter, parseBoolean } from "../containers/graph.ts";

export type Type = "IMAGE" | "VIDEO" | "REELS" | "STORIES" | "CAROUSEL";

const CAPTION_MAX = 2_200;
const HASHTAGS_MAX = 30;
const MENTIONS_MAX = 20;
const ALT_MAX = 1_000;
const COLLABORATORS_MAX = 3;
const TAGS_MAX = 20;

export function checkCaption(text: string): void {
  // The unit is not documented. Code points are a lenient choice.
  if ([...text].length > CAPTION_MAX)
    throw new GraphError(36004, 2207010, "The caption was too long.", {
      said: `The caption was too long. It may have at most ${CAPTION_MAX} characters.`,
    });
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  if (count(/#[\p{L}\p{N}_]+/gu) > HASHTAGS_MAX || count(/@[a-z0-9._]+/gi) > MENTIONS_MAX)
    throw new GraphError(100, 2207040, "Cannot use more than 20 tags.", { said: "Too many tags in the caption." });
}

export function checkExtras(fields: Fields, type: Type, isPart: boolean): void {
  const { alt_text: alt, thumb_offset: thumb, collaborators, trial_params: trial, location_id: location } = fields;
  if (alt !== undefined && (type !== "IMAGE" || [...alt].length > ALT_MAX))
    throw invalidParameter(`Param alt_text must be at most ${ALT_MAX} characters, of an image`);
  if (thumb !== undefined && (type !== "REELS" || !/^\d+$/.test(thumb)))
    throw new GraphError(1, 2207057, "Thumbnail offset is invalid", {
      said: "The thumbnail offset must be in the video.",
    });
  if (fields.cover_url !== undefined && type !== "REELS") throw invalidParameter("Param cover_url is for reels");
  if (fields.audio_name !== undefined && type !== "REELS") throw invalidParameter("Param audio_name is for reels");
  if (fields.user_tags !== undefined) checkTags(fields.user_tags, type);
  const isFeed = !isPart && type !== "STORIES";
  if (collaborators !== undefined && (!isFeed || !isListOfNames(collaborators)))
    throw invalidParameter(`Param collaborators must be at most ${COLLABORATORS_MAX} user names`);
  if (location !== undefined && (!isFeed || !/^\d+$/.test(location)))
    throw invalidParameter("Param location_id must be a valid page with a location");
  if (parseBoolean(fields, "is_ai_generated") !== undefined && isPart)
    throw invalidParameter("Param is_ai_generated is not allowed on carousel items");
  if (parseBoolean(fields, "share_to_feed") !== undefined && type !== "REELS")
    throw invalidParameter("Param share_to_feed is for reels");
  const strategy = trial === undefined ? undefined : Object(parsed(trial)).graduation_strategy;
  if (trial !== undefined && (type !== "REELS" || !["MANUAL", "SS_PERFORMANCE"].includes(strategy)))
    throw invalidParameter("Param trial_params is invalid");
}

function isListOfNames(text: string): boolean {
  const names = parsed(text);
  return Array.isArray(names) && names.length <= COLLABORATORS_MAX && names.every((name) => typeof name === "string");
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * `user_tags`, read 2026-11-27: images need a position, stories may have one, videos have none, and videos of a carousel have no
 * tags. An account whose name begins with `private_` is not public.
 */
function checkTags(text: string, type: Type): void {
  const tags = parsed(text);
  if (!Array.isArray(tags) || type === "CAROUSEL" || type === "VIDEO")
    throw invalidParameter("Param user_tags must be an array, of an image, a reel or a story");
  if (tags.length > TAGS_MAX)
    throw new GraphError(100, 2207040, "Cannot use more than 20 tags.", { said: "Too many tags on the file." });
  for (const tag of tags) {
    const { username, x, y } = Object(tag);
    if (typeof username !== "string") throw invalidParameter("Param user_tags[username] is required");
    const isPosition = isShare(x) && isShare(y);
    const isBare = x === undefined && y === undefined;
    if (!(type === "IMAGE" ? isPosition : isBare || (isPosition && type === "STORIES")))
      throw invalidParameter("Param user_tags[x] and user_tags[y] must be 0.0 to 1.0 on an image");
    // The number and the words, as public code quotes them, read 2026-11-27.
    if (username.startsWith("private_"))
      throw new GraphError(110, 2207018, "Invalid user id", {
        said: `The user_id or user_name ${username} cannot be accessed.`,
      });
  }
}

const isShare = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1;

/** "Partnership ads label", only with Facebook Login: content publishing, read 2026-11-27. */
export function checkPartnership(fields: Fields): void {
  const { branded_content_sponsor_ids: sponsors, access_token: token } = fields;
  const isLabelled = parseBoolean(fields, "is_paid_partnership") !== undefined || sponsors !== undefined;
  if (isLabelled && token?.startsWith("EAA") !== true)
    throw invalidParameter("Param is_paid_partnership is for Facebook Login");
  const ids = sponsors === undefined ? [] : parsed(sponsors);
  if (!Array.isArray(ids) || ids.length > 2 || ids.some((id) => !/^\d+$/.test(String(id))))
    throw invalidParameter("Param branded_content_sponsor_ids must be at most 2 ids");
}
