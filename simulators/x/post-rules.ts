// The fields of a request to create a post, and their rules: the OpenAPI description 2.167.
import type { ShownPoll } from "../poll.ts";
import { invalid } from "./problem.ts";

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
