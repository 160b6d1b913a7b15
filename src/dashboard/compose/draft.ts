// What somebody is writing: as it is kept in the browser, and as the service takes it.

import type { Body } from "../../client/client.ts";
import { NEXT_SLOT } from "../../domain/next-slot.ts";
import type { Post } from "../types.ts";

export type Override = NonNullable<Body<"posts.create">["overrides"]>[string];
export type PostType = NonNullable<Post["post_type"]>;

export interface Draft {
  text: string;
  channels: string[];
  overrides: Record<string, Override>;
  /** Ids, in publishing order. */
  media: string[];
  postType: PostType | null;
  /** On the workspace's clock, `2026-11-24T09:30`; empty: now. */
  at: string;
  /** As they are typed, with commas. */
  labels: string;
}

export const EMPTY: Draft = { text: "", channels: [], overrides: {}, media: [], postType: null, at: "", labels: "" };

/** A post as it is edited. */
export const draftOf = (post: Post): Draft => ({
  text: post.text,
  channels: post.channels,
  overrides: post.overrides,
  media: post.media,
  postType: post.post_type,
  at: minuteOf(post.publish_at_local),
  labels: post.labels.join(", "),
});

/** An instant as the field for date and time shows it. */
const minuteOf = (local: string | null): string => local?.slice(0, 16) ?? "";

/** Whether there is something to judge. */
export const hasContent = ({ text, media, overrides }: Draft): boolean =>
  text.trim() !== "" || media.length > 0 || Object.values(overrides).some((own) => own.text !== undefined);

export type Ending = "now" | "time" | "slot" | "draft";

/** What is sent. `kept`: the post that is edited; a time that nobody touched stays exactly what it was. */
export function bodyOf(draft: Draft, ending: Ending, kept?: Post): Body<"posts.create"> {
  const isKept = kept !== undefined && draft.at === minuteOf(kept.publish_at_local);
  const at = isKept ? kept.publish_at : draft.at === "" ? null : draft.at;
  const labels = draft.labels.split(",").map((label) => label.trim());
  return {
    text: draft.text,
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
    labels: labels.filter((label) => label !== ""),
    ...(draft.postType === null ? {} : { post_type: draft.postType }),
  };
}

/** Sets or, with undefined, takes away what differs on one channel. */
export function withOverride(draft: Draft, channel: string, name: string, value: Override[string] | undefined): Draft {
  const own = { ...draft.overrides[channel] };
  if (value === undefined) delete own[name];
  else own[name] = value;
  return { ...draft, overrides: { ...draft.overrides, [channel]: own } };
}

/** A list with one entry moved to another place. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}
