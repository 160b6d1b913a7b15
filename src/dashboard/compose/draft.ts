// A post being written: how the browser stores it, and how it is sent to the service.

import type { Body } from "../../client/client.ts";
import { NEXT_SLOT } from "../../domain/next-slot.ts";
import type { Post } from "../types.ts";

export type Override = NonNullable<Body<"posts.create">["overrides"]>[string];
export type PostType = NonNullable<Post["post_type"]>;
export type MediaFit = Post["media_fit"];

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
  channels: string[];
  overrides: Record<string, Override>;
  /** Ids, in publishing order. */
  media: string[];
  postType: PostType | null;
  mediaFit: MediaFit;
  /** On the workspace's clock, `2026-11-24T09:30`; empty: now. */
  at: string;
  /** As typed, separated by commas. */
  labels: string;
}

export const EMPTY: Draft = {
  text: "",
  thread: [],
  channels: [],
  overrides: {},
  media: [],
  postType: null,
  mediaFit: "exact",
  at: "",
  labels: "",
};

/** A post as a draft to edit. */
export const draftOf = (post: Post): Draft => ({
  text: post.text,
  thread: (post.thread ?? []).map((part, i) => ({ key: `part-${i}`, ...part })),
  channels: post.channels,
  overrides: post.overrides,
  media: post.media,
  postType: post.post_type,
  mediaFit: post.media_fit,
  at: minuteOf(post.publish_at_local),
  labels: post.labels.join(", "),
});

/** An instant in the format of the date and time field. */
const minuteOf = (local: string | null): string => local?.slice(0, 16) ?? "";

/** Whether there is content to validate. */
export const hasContent = ({ text, media, overrides }: Draft): boolean =>
  text.trim() !== "" || media.length > 0 || Object.values(overrides).some((own) => own.text !== undefined);

/** Whether losing the draft would matter: it has text or files anywhere. */
export const isWorthKeeping = (draft: Draft): boolean =>
  hasContent(draft) ||
  filesOf(draft).length > 0 ||
  [...draft.thread, ...Object.values(draft.overrides).flatMap((own) => own.thread ?? [])].some(
    ({ text }) => text.trim() !== "",
  );

/** All files of the draft, including those of its thread parts and overrides. */
export const filesOf = ({ media, thread, overrides }: Draft): string[] => [
  ...media,
  ...thread.flatMap((part) => part.media),
  ...Object.values(overrides).flatMap((own) => [
    ...(own.media ?? []),
    ...(own.thread ?? []).flatMap((part) => part.media ?? []),
  ]),
];

export type Ending = "now" | "time" | "slot" | "draft";

/** The request body. `kept`: the edited post; a time that the user did not change is sent exactly as it was. */
export function bodyOf(draft: Draft, ending: Ending, kept?: Post): Body<"posts.create"> {
  const isKept = kept !== undefined && draft.at === minuteOf(kept.publish_at_local);
  const at = isKept ? kept.publish_at : draft.at === "" ? null : draft.at;
  const labels = draft.labels.split(",").map((label) => label.trim());
  return {
    text: draft.text,
    thread: draft.thread.map(({ text, media }) => ({ text, media })),
    channels: draft.channels,
    media: draft.media,
    overrides: Object.fromEntries(
      draft.channels.flatMap((id) => {
        const own = draft.overrides[id] ?? {};
        return Object.keys(own).length === 0 ? [] : [[id, own]];
      }),
    ),
    publish_at: ending === "now" ? null : ending === "slot" ? NEXT_SLOT : at,
    draft: ending === "draft",
    media_fit: draft.mediaFit,
    labels: labels.filter((label) => label !== ""),
    ...(draft.postType === null ? {} : { post_type: draft.postType }),
  };
}

/** Sets an override on one channel, or removes it if the value is undefined. */
export function withOverride(draft: Draft, channel: string, name: string, value: Override[string] | undefined): Draft {
  const own = { ...draft.overrides[channel] };
  if (value === undefined) delete own[name];
  else own[name] = value;
  return { ...draft, overrides: { ...draft.overrides, [channel]: own } };
}

/** Adds a file where it was dropped: to the post itself, to a thread part, or to a channel's override. */
export function withFile(draft: Draft, place: Place, id: string): Draft {
  if (place.of === "post") return { ...draft, media: [...draft.media, id] };
  if (place.of === "part") {
    const add = (part: Part) => (part.key === place.key ? { ...part, media: [...part.media, id] } : part);
    return { ...draft, thread: draft.thread.map(add) };
  }
  return withOverride(draft, place.key, "media", [...(draft.overrides[place.key]?.media ?? []), id]);
}

/** The owner of the files; `key` is that of a thread part, or the id of a channel. */
export type Place = { of: "post" } | { of: "part" | "channel"; key: string };

export const isSamePlace = (one: Place, other: Place): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A copy of the list with one entry moved. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}
