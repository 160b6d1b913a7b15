// A poll under a post. Networks differ in where its question stands: some polls have a question of their own, beside the text;
// elsewhere the text of the post is the question.
import { isObject } from "../json.ts";

export interface Poll {
  question: string;
  /** The answers to choose from, in order. */
  options: string[];
  /** How long people can vote. */
  minutes: number;
}

/** A network's limits for polls. */
export interface PollRule {
  /** Characters of the question. 0: the network's polls have none, and the question becomes the last paragraph of the text. */
  max_question: number;
  min_options: number;
  max_options: number;
  /** Characters of an option. */
  max_option: number;
  min_minutes: number;
  max_minutes: number;
  /** The only durations, if not all between the limits are possible. */
  minutes?: number[];
  /** The limit of the text beside a poll, where it differs. */
  text_limit?: number;
}

interface WithPoll {
  poll: Poll | null;
  overrides: Record<string, Record<string, unknown>>;
}

/** The poll that goes out on a channel: its own (null: none), or that of the post. */
export function getPoll({ poll, overrides }: WithPoll, channelId: string): Poll | null {
  const ownPoll = overrides[channelId]?.poll;
  return ownPoll === undefined ? poll : readPoll(ownPoll);
}

/** A stored poll. Its shape was checked when the post was written. */
function readPoll(value: unknown): Poll | null {
  if (!isObject(value)) return null;
  const { question, options, minutes } = value;
  if (typeof question !== "string" || !Array.isArray(options) || typeof minutes !== "number") return null;
  return { question, options: options.map(String), minutes };
}

/**
 * The text that goes out with a poll. Where polls have no question, it follows the text as a paragraph of its own, unless the text
 * already ends with it.
 */
export function joinQuestion(text: string, poll: Poll | null, rule: PollRule | undefined): string {
  if (poll === null || rule === undefined || rule.max_question > 0) return text;
  if (text.trim() === "") return poll.question;
  return text.trimEnd().endsWith(poll.question) ? text : `${text}\n\n${poll.question}`;
}
