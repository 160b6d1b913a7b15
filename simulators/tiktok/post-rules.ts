// The network's rules for a post: content-posting-api-reference-direct-post and -photo-post, read 2026-11-20.
import { hasPersona } from "../personas.ts";
import type { Account } from "./accounts.ts";
import { type Fields, invalid, Refusal, toFields, toText } from "./answers.ts";

const PRIVACY_LEVELS = ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"];
/** About 15 direct posts in 24 hours, across all apps. */
export const POSTS_PER_DAY = 15;
const DAY_MS = 86_400_000;
const PHOTOS_MAX = 35;
/** UTF-16 units. */
const TITLE_MAX = { video: 2_200, photo: 90 };
const DESCRIPTION_MAX = 4_000;

export function privacyOptions({ username }: Account): string[] {
  return isPrivate(username)
    ? ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
    : ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"];
}

export const secondsMax = ({ username }: Account) => (username.startsWith("short_") ? 60 : 600);

/** The creator's daily cap. The creator info call returns the same code with another status. */
export function checkCap({ postedAt }: Account, status: number): void {
  const today = postedAt.filter((instant) => instant > Date.now() - DAY_MS);
  if (today.length >= POSTS_PER_DAY)
    throw new Refusal(status, "spam_risk_too_many_posts", "The daily post cap from the API is reached for the user.");
}

/** Drafts waiting in the inbox within 24 hours. */
export const DRAFTS_PER_DAY = 5;

/** content-posting-api-reference-upload-video, read 2026-11-25; the number is from content-sharing-guidelines. */
export function checkDrafts({ draftedAt }: Account): void {
  if (draftedAt.filter((instant) => instant > Date.now() - DAY_MS).length >= DRAFTS_PER_DAY)
    throw new Refusal(403, "spam_risk_too_many_pending_share", "The daily cap of pending shares is reached.");
}

/** An unaudited app can post only to private accounts, and only with the audience SELF_ONLY. */
function checkAudit({ username }: Account, privacy: string): void {
  if (!hasPersona(username, "unaudited") || (isPrivate(username) && privacy === "SELF_ONLY")) return;
  // The wording: users of many projects quote it, including gitroomhq/postiz-app; read 2026-11-24.
  throw new Refusal(
    403,
    "unaudited_client_can_only_post_to_private_accounts",
    "Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/",
  );
}

const isPrivate = (username: string) => username.startsWith("private_") || hasPersona(username, "unaudited_private");

/** The texts of a post, which are all that a draft of photos includes. */
export function checkWords(info: Fields, kind: "video" | "photo"): Fields {
  if (toText(info.title).length > TITLE_MAX[kind]) throw invalid("The title is too long");
  if (toText(info.description).length > DESCRIPTION_MAX) throw invalid("The description is too long");
  return info;
}

/** `post_info` of either kind. */
export function checkInfo(value: unknown, kind: "video" | "photo", account: Account): Fields {
  const info = checkWords(toFields(value), kind);
  const privacy = toText(info.privacy_level);
  if (!PRIVACY_LEVELS.includes(privacy)) throw invalid("The privacy level is invalid");
  if (!privacyOptions(account).includes(privacy))
    throw new Refusal(
      403,
      "privacy_level_option_mismatch",
      "privacy_level is not specified or not among the options in privacy_level_options.",
    );
  checkAudit(account, privacy);
  for (const name of FLAGS)
    if (info[name] !== undefined && typeof info[name] !== "boolean") throw invalid(`${name} must be a boolean`);
  // The refusal is documented, its code is not.
  if (info.brand_content_toggle === true && privacy === "SELF_ONLY")
    throw invalid("Branded content cannot be visible to oneself only");
  const cover = info.video_cover_timestamp_ms;
  if (cover !== undefined && !(typeof cover === "number" && cover >= 0))
    throw invalid("The cover timestamp is invalid");
  return info;
}

const FLAGS = [
  "disable_duet",
  "disable_comment",
  "disable_stitch",
  "brand_content_toggle",
  "brand_organic_toggle",
  "is_aigc",
  "auto_add_music",
];

/** The addresses of photos, in order. TLS is not required, because the media of a local run have none. */
export function checkPhotos(value: unknown): string[] {
  const source = toFields(value);
  if (source.source !== "PULL_FROM_URL") throw invalid("Photos are pulled from addresses");
  const images: unknown = source.photo_images;
  if (!Array.isArray(images) || images.length < 1 || images.length > PHOTOS_MAX)
    throw invalid(`There must be 1 to ${PHOTOS_MAX} photos`);
  const urls = images.map(toText);
  const cover = source.photo_cover_index;
  if (typeof cover !== "number" || !Number.isInteger(cover) || cover < 0 || cover >= urls.length)
    throw invalid("The photo cover index is invalid");
  for (const url of urls) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw invalid("A photo has no address");
    if (new URL(url).hostname.startsWith("unverified."))
      throw new Refusal(
        403,
        "url_ownership_unverified",
        "To use PULL_FROM_URL as the transfer method, developer must verify the ownership of the URL prefix or domain.",
      );
  }
  return urls;
}

/** Why a photo fails once it is fetched: only JPEG or WebP of at most 20 MB is accepted. */
export function photoFault(file: { type: string; bytes: number } | null): string | null {
  if (file === null) return "photo_pull_failed";
  if (!["image/jpeg", "image/webp"].includes(file.type)) return "file_format_check_failed";
  return file.bytes > 20_000_000 ? "picture_size_check_failed" : null;
}

/** The `#tags` and `@names` of a caption that become links. */
export function findMarks(text: string) {
  return [...text.matchAll(/(?<=^|\s)[#@][\p{L}\p{N}_.]+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}
