// The fields of a request to create a post, and their rules: the OpenAPI description 2.167.
import { hasPersona } from "../personas.ts";
import type { ShownPoll } from "../poll.ts";
import { forbidden, invalid } from "./problem.ts";

const POST_FIELDS = [
  "text",
  "media",
  "reply",
  "reply_settings",
  "quote_tweet_id",
  "community_id",
  "share_with_followers",
  "made_with_ai",
  "paid_partnership",
  "poll",
];
const REPLY_SETTINGS = ["following", "mentionedUsers", "subscribers", "verified"];
// 2 to 4 options of 1 to 25 characters, 5 minutes to 7 days: the schemas PollOption and Poll, read 2026-11-27.
const OPTIONS = { min: 2, max: 4, length: 25 };
const MINUTES = { min: 5, max: 10_080 };

/** Weighted characters of a post: fundamentals/counting-characters, and help.x.com/en/using-x/x-premium for paying accounts. */
export const TEXT_MAX = 280;
export const PREMIUM_TEXT_MAX = 25_000;
const TAGGED_MAX = 10;

type Body = Record<string, unknown>;

export function checkFields(body: Body): void {
  const unknown = Object.keys(body).filter((name) => !POST_FIELDS.includes(name));
  if (unknown.length > 0) throw invalid(`[${unknown.join(", ")}] is not allowed`);
  const { reply_settings: settings } = body;
  if (settings !== undefined && !REPLY_SETTINGS.includes(String(settings)))
    throw invalid("reply_settings is not one of the enum");
}

/** The poll of a body; null: none. A poll excludes files: docs.x.com/x-api/posts/create-post, read 2026-11-27. */
export function readPoll({ poll, media }: Body): ShownPoll | null {
  if (poll === undefined) return null;
  if (media !== undefined) throw invalid("media and poll are mutually exclusive");
  const { options, duration_minutes: minutes, ...otherFields } = Object(poll);
  const unknown = Object.keys(otherFields).filter((name) => name !== "reply_settings");
  if (unknown.length > 0) throw invalid(`[poll.${unknown.join(", ")}] is not allowed`);
  if (!Array.isArray(options) || options.length < OPTIONS.min || options.length > OPTIONS.max)
    throw invalid(`poll.options must have ${OPTIONS.min} to ${OPTIONS.max} items`);
  for (const option of options)
    if (typeof option !== "string" || option === "" || [...option].length > OPTIONS.length)
      throw invalid(`poll.options: each has 1 to ${OPTIONS.length} characters`);
  if (!Number.isInteger(minutes) || minutes < MINUTES.min || minutes > MINUTES.max)
    throw invalid(`poll.duration_minutes must be between ${MINUTES.min} and ${MINUTES.max}`);
  return { question: null, options, minutes };
}

/** The files of a body and the accounts tagged in them: CreatePostsMedia of the OpenAPI description 2.167. */
export function readMedia(media: unknown): { ids: unknown; taggedIds: string[] } {
  const { media_ids: ids, tagged_user_ids: tagged = [], ...otherFields } = Object(media);
  const [unknown] = Object.keys(otherFields);
  if (unknown !== undefined) throw invalid(`[media.${unknown}] is not allowed`);
  if (!Array.isArray(tagged) || tagged.length > TAGGED_MAX || tagged.some((id) => !/^\d{1,19}$/.test(String(id))))
    throw invalid(`media.tagged_user_ids takes up to ${TAGGED_MAX} ids`);
  return { ids, taggedIds: tagged.map(String) };
}

/** The details of a post's files on the page. */
export const describeMedia = (names: string[], warnings: string[]): Record<string, string> => ({
  ...(names.length > 0 && { Tagged: names.map((name) => `@${name}`).join(" · ") }),
  ...(warnings.length > 0 && { Warning: warnings.join(" · ").replaceAll("_", " ") }),
});

/** The post that a body replies to; null: none. */
export function readReplyTarget(reply: unknown, exists: (id: string) => boolean): string | null {
  if (reply === undefined) return null;
  const { in_reply_to_tweet_id: parent, ...otherFields } = Object(reply);
  if (typeof parent !== "string" || !/^\d{1,19}$/.test(parent))
    throw invalid("reply.in_reply_to_tweet_id is not a valid id");
  const unknown = Object.keys(otherFields).filter((name) => name !== "exclude_reply_user_ids");
  if (unknown.length > 0) throw invalid(`[reply.${unknown.join(", ")}] is not allowed`);
  if (!exists(parent)) throw forbidden("You attempted to reply to a Tweet that is deleted or not visible to you.");
  return parent;
}

/** Whether an account pays for X Premium. */
export const isPremium = (account: string): boolean => hasPersona(account, "premium");
