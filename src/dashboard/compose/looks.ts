// How each network arranges a post.
import type { IconName } from "../ui/icons.tsx";

/**
 * `stream`: the text beside the avatar, files below. `feed`: header, text, wide files. `photo`: files first, then the caption.
 * `film`: an upright picture with the text upon it. `video`: a wide picture with the title below. `pin`: a picture with a
 * title. `bubble`: a message in a chat.
 */
export type Look = "stream" | "feed" | "photo" | "film" | "video" | "pin" | "bubble";

const LOOKS: Record<string, Look> = {
  bluesky: "stream",
  facebook: "feed",
  instagram: "photo",
  linkedin: "feed",
  pinterest: "pin",
  telegram: "bubble",
  threads: "stream",
  tiktok: "film",
  x: "stream",
  youtube: "video",
};
const UPRIGHT: ReadonlySet<string> = new Set(["reel", "short", "story"]);

export const findLook = (platform: string, type: string): Look =>
  UPRIGHT.has(type) ? "film" : (LOOKS[platform] ?? "feed");

const FILES_FIRST: ReadonlySet<Look> = new Set(["photo", "film", "video", "pin", "bubble"]);
export const showsFilesFirst = (look: Look): boolean => FILES_FIRST.has(look);

/** What readers can do below a post; the label only where the network shows one. */
interface Action {
  icon: IconName;
  label?: string;
}

const ACTIONS: Record<string, readonly Action[]> = {
  bluesky: [{ icon: "reply" }, { icon: "repost" }, { icon: "heart" }, { icon: "share" }],
  facebook: [
    { icon: "thumb", label: "Like" },
    { icon: "reply", label: "Comment" },
    { icon: "send", label: "Share" },
  ],
  instagram: [{ icon: "heart" }, { icon: "reply" }, { icon: "send" }, { icon: "bookmark" }],
  linkedin: [
    { icon: "thumb", label: "Like" },
    { icon: "reply", label: "Comment" },
    { icon: "repost", label: "Repost" },
    { icon: "send", label: "Send" },
  ],
  pinterest: [{ icon: "heart" }, { icon: "reply" }, { icon: "share" }],
  threads: [{ icon: "heart" }, { icon: "reply" }, { icon: "repost" }, { icon: "send" }],
  tiktok: [{ icon: "heart" }, { icon: "reply" }, { icon: "bookmark" }, { icon: "share" }],
  x: [{ icon: "reply" }, { icon: "repost" }, { icon: "heart" }, { icon: "chart" }, { icon: "bookmark" }],
  youtube: [{ icon: "thumb" }, { icon: "reply" }, { icon: "share" }, { icon: "bookmark" }],
};
export const listActions = (platform: string): readonly Action[] => ACTIONS[platform] ?? [];
