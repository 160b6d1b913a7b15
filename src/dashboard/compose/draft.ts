// A post being written: how the browser stores it, and how it is sent to the service.

import type { Body } from "../../client/client.ts";
import { NEXT_SLOT } from "../../domain/next-slot.ts";
import type { Poll } from "../../domain/posts/poll.ts";
import type { Post } from "../types.ts";

export type Override = NonNullable<Body<"posts.create">["overrides"]>[string];
export type PostType = NonNullable<Post["post_type"]>;
export type MediaFit = Post["media_fit"];
export type Repeat = NonNullable<Post["repeat"]>;

/** A further thread part. `key` identifies it while parts are reordered; it is not sent. */
export interface Part {
  key: string;
  text: string;
  media: string[];
}

export interface Draft {
  text: string;
  /** The posts after the first, each a reply to the one before. */
  thread: Part[];
  poll: Poll | null;
  channels: string[];
  overrides: Record<string, Override>;
  /** Ids, in publishing order. */
  media: string[];
  postType: PostType | null;
  mediaFit: MediaFit;
  /** On the workspace's clock, `2026-11-24T09:30`; empty: now. */
  at: string;
  repeat: Repeat | null;
  /** Parameters that are added to its links; null: none. */
  linkTags: Post["link_tags"];
  /** As typed, separated by commas. */
  labels: string;
}

export const EMPTY: Draft = {
  text: "",
  thread: [],
  poll: null,
  channels: [],
  overrides: {},
  media: [],
  postType: null,
  mediaFit: "exact",
  at: "",
  repeat: null,
  linkTags: null,
  labels: "",
};

/** A post as a draft to edit. */
export const toDraft = (post: Post): Draft => ({
  text: post.text,
  thread: (post.thread ?? []).map((threadPart, i) => ({ key: `part-${i}`, ...threadPart })),
  poll: post.poll,
  channels: post.channels,
  overrides: post.overrides,
  media: post.media,
  postType: post.post_type,
  mediaFit: post.media_fit,
  at: toLocalMinute(post.publish_at_local),
  repeat: post.repeat,
  linkTags: post.link_tags,
  labels: post.labels.join(", "),
});

/** A copy of a post to publish once more: its times have passed, and a second series would publish everything twice. */
export const toCopy = (post: Post): Draft => {
  const draft = toDraft(post);
  const entries = Object.entries(draft.overrides).map(
    ([channel, { publish_at: _, ...own }]) => [channel, own] as const,
  );
  return { ...draft, repeat: null, overrides: Object.fromEntries(entries) };
};

/** An instant in the format of the date and time field. */
const toLocalMinute = (local: string | null): string => local?.slice(0, 16) ?? "";

/** Whether there is content to validate. */
export const hasContent = ({ text, media, overrides, poll }: Draft): boolean =>
  text.trim() !== "" ||
  media.length > 0 ||
  poll !== null ||
  Object.values(overrides).some((override) => override.text !== undefined);

/** Whether losing the draft would matter: it has text or files anywhere. */
export const isWorthKeeping = (draft: Draft): boolean =>
  hasContent(draft) ||
  listFileIds(draft).length > 0 ||
  [...draft.thread, ...Object.values(draft.overrides).flatMap((override) => override.thread ?? [])].some(
    ({ text }) => text.trim() !== "",
  );

/** All files of the draft, including those of its thread parts and overrides. */
export const listFileIds = ({ media, thread, overrides }: Draft): string[] => [
  ...media,
  ...thread.flatMap((threadPart) => threadPart.media),
  ...Object.values(overrides).flatMap((override) => [
    ...(override.media ?? []),
    ...(override.thread ?? []).flatMap((threadPart) => threadPart.media ?? []),
  ]),
];

export type Ending = "now" | "time" | "slot" | "draft";

/** The labels as they are sent. */
export const listLabels = ({ labels }: Pick<Draft, "labels">): string[] =>
  labels
    .split(",")
    .map((label) => label.trim())
    .filter((label) => label !== "");

/** The request body. `editedPost`: the post that is edited; a time that the user did not change is sent exactly as it was. */
export function buildPostBody(draft: Draft, ending: Ending, editedPost?: Post): Body<"posts.create"> {
  const isKept = editedPost !== undefined && draft.at === toLocalMinute(editedPost.publish_at_local);
  const publishAt = isKept ? editedPost.publish_at : draft.at === "" ? null : draft.at;
  return {
    text: draft.text,
    poll: draft.poll,
    thread: draft.thread.map(({ text, media }) => ({ text, media })),
    channels: draft.channels,
    media: draft.media,
    overrides: Object.fromEntries(
      draft.channels.flatMap((id) => {
        const override = draft.overrides[id] ?? {};
        return Object.keys(override).length === 0 ? [] : [[id, override]];
      }),
    ),
    publish_at: ending === "now" ? null : ending === "slot" ? NEXT_SLOT : publishAt,
    draft: ending === "draft",
    repeat: draft.repeat,
    link_tags: draft.linkTags,
    media_fit: draft.mediaFit,
    labels: listLabels(draft),
    ...(draft.postType === null ? {} : { post_type: draft.postType }),
  };
}

/** Sets an override on one channel, or removes it if the value is undefined. */
export function withOverride(draft: Draft, channel: string, name: string, value: Override[string] | undefined): Draft {
  const override = { ...draft.overrides[channel] };
  if (value === undefined) delete override[name];
  else override[name] = value;
  return { ...draft, overrides: { ...draft.overrides, [channel]: override } };
}

/** Adds a file where it was dropped: to the post itself, to a thread part, or to a channel's override. */
export function withFile(draft: Draft, place: Place, id: string): Draft {
  if (place.of === "instead") return withFileReplaced(draft, place.key, id);
  if (place.of === "post") return { ...draft, media: [...draft.media, id] };
  if (place.of === "part") {
    const add = (threadPart: Part) =>
      threadPart.key === place.key ? { ...threadPart, media: [...threadPart.media, id] } : threadPart;
    return { ...draft, thread: draft.thread.map(add) };
  }
  return withOverride(draft, place.key, "media", [...(draft.overrides[place.key]?.media ?? []), id]);
}

/** Puts another file in the place of one, everywhere. */
function withFileReplaced(draft: Draft, before: string, after: string): Draft {
  const swap = (ids: string[]) => ids.map((id) => (id === before ? after : id));
  const swapOwn = (own: Override): Override => ({
    ...own,
    ...(own.media === undefined ? {} : { media: swap(own.media) }),
  });
  return {
    ...draft,
    media: swap(draft.media),
    thread: draft.thread.map((threadPart) => ({ ...threadPart, media: swap(threadPart.media) })),
    overrides: Object.fromEntries(Object.entries(draft.overrides).map(([channel, own]) => [channel, swapOwn(own)])),
  };
}

/**
 * The owner of the files; `key` is that of a thread part, or the id of a channel. `instead`: the new file takes the place of the
 * file `key`.
 */
export type Place = { of: "post" } | { of: "part" | "channel" | "instead"; key: string };

export const isSamePlace = (first: Place, second: Place): boolean => JSON.stringify(first) === JSON.stringify(second);

/** A copy of the list with one entry moved. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}
