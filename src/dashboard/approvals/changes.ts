// Changes to a post since the last decision on it.
import type { Answer } from "../../client/client.ts";
import { contentFor } from "../../domain/posts/channel-content.ts";
import { describePattern } from "../../domain/posts/describe-repeat.ts";
import { getPoll, type Poll } from "../../domain/posts/poll.ts";
import { getThread } from "../../domain/posts/thread.ts";
import { describeMinutes } from "../words/durations.ts";
import { type ListChange, listDiff, type Piece, wordDiff } from "./diff.ts";

export type Decision = NonNullable<Answer<"posts.decision">["decision"]>;
type Content = Pick<
  Decision,
  "text" | "media" | "thread" | "poll" | "channels" | "overrides" | "publish_at" | "post_type" | "repeat" | "link_tags"
>;
/** The alt text of each known file, by file id. */
export type Alts = Readonly<Record<string, string | null>>;

/** The changes to the post itself, or to a channel's override. Empty if nothing has changed. */
export interface PartChange {
  /** null: unchanged. */
  text: Piece[] | null;
  files: ListChange | null;
  /** Thread parts; `null`: unchanged. */
  parts: (Omit<PartChange, "parts" | "options"> & { position: number })[];
  options: { name: string; before: string | null; after: string | null }[];
}
export interface Changes {
  post: PartChange;
  /** Channels that the post was for and still is. */
  channels: { id: string; change: PartChange }[];
  /** Files that the post had and still has. */
  alts: { id: string; text: Piece[] }[];
  listed: ListChange | null;
  time: { before: string | null; after: string | null } | null;
  type: { before: string | null; after: string | null } | null;
}

export function findChanges(before: Content & { alts: Alts | null }, after: Content & { alts: Alts }): Changes {
  const stayed = after.channels.filter((id) => before.channels.includes(id));
  return {
    post: partChange(
      { text: before.text, media: before.media, thread: before.thread ?? [], options: toOptions(before) },
      { text: after.text, media: after.media, thread: after.thread ?? [], options: toOptions(after) },
    ),
    // A channel without an override changes with the post.
    channels: stayed
      .filter((id) => !isSame(before.overrides[id] ?? {}, after.overrides[id] ?? {}))
      .map((id) => ({ id, change: partChange(ofChannel(before, id), ofChannel(after, id)) })),
    alts: Object.entries(before.alts ?? {}).flatMap(([id, was]) => {
      const now = after.alts[id];
      return now === undefined || (was ?? "") === (now ?? "") ? [] : [{ id, text: wordDiff(was ?? "", now ?? "") }];
    }),
    listed: listDiff([...before.channels].sort(), [...after.channels].sort()),
    time: changed(before.publish_at, after.publish_at),
    type: changed(before.post_type, after.post_type),
  };
}

export const isUnchanged = ({ post, channels, alts, listed, time, type }: Changes): boolean =>
  [post, ...channels.map(({ change }) => change)].every(isEmpty) &&
  alts.length === 0 &&
  [listed, time, type].every((change) => change === null);

const isEmpty = ({ text, files, parts, options }: PartChange) =>
  text === null && files === null && parts.length === 0 && options.length === 0;

interface Part {
  text: string;
  media: string[];
  thread: { text: string; media?: string[] | undefined }[];
  options: Record<string, unknown>;
}
const ofChannel = (content: Content, id: string): Part => {
  const post = { ...content, thread: content.thread?.map(({ text, media = [] }) => ({ text, media })) ?? null };
  const { options, ...written } = contentFor(post, id);
  return { ...written, thread: getThread(post, id), options: { ...options, ...toOption(getPoll(content, id)) } };
};

/** A poll as one of the options, so that its changes are listed with theirs. */
const toOption = (poll: Poll | null): Record<string, string> =>
  poll === null ? {} : { poll: `${poll.question} ${poll.options.join(" / ")} (${describeMinutes(poll.minutes)})` };

/** What the post has for all channels besides texts and files. */
const toOptions = ({ poll, repeat, link_tags: tags }: Content): Record<string, string> => ({
  ...toOption(poll),
  ...(tags === null ? {} : { link_parameters: JSON.stringify(tags.parameters) }),
  ...(repeat === null ? {} : { repeat: [describePattern(repeat, null), ...repeat.variations].join(" / ") }),
});

function partChange(before: Part, after: Part): PartChange {
  const length = Math.max(before.thread.length, after.thread.length);
  const names = new Set([...Object.keys(before.options), ...Object.keys(after.options)]);
  return {
    text: before.text === after.text ? null : wordDiff(before.text, after.text),
    files: listDiff(before.media, after.media),
    parts: Array.from({ length }, (_, i) => {
      const [old, now] = [before.thread[i], after.thread[i]];
      const [was, currentText] = [old?.text ?? "", now?.text ?? ""];
      return {
        position: i + 1,
        text: was === currentText ? null : wordDiff(was, currentText),
        files: listDiff(old?.media ?? [], now?.media ?? []),
      };
    }).filter(({ text, files }) => text !== null || files !== null),
    options: [...names]
      .filter((name) => !isSame(before.options[name], after.options[name]))
      .map((name) => ({
        name,
        before: toDisplayText(before.options[name]),
        after: toDisplayText(after.options[name]),
      })),
  };
}

const toDisplayText = (value: unknown) =>
  value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);
const changed = (before: string | null, after: string | null) => (before === after ? null : { before, after });

/** Compares regardless of key order. */
function isSame(first: unknown, second: unknown): boolean {
  return JSON.stringify(first, sorted) === JSON.stringify(second, sorted);
}
const sorted = (_: string, value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
