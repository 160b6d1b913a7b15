// How each network arranges a post.

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

/** The buttons below a post, as the network names them. */
const ACTIONS: Record<string, readonly string[]> = {
  facebook: ["Like", "Comment", "Share"],
  linkedin: ["Like", "Comment", "Repost", "Send"],
};
export const listActions = (platform: string): readonly string[] => ACTIONS[platform] ?? [];
