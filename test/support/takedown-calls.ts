/** The name of the call that takes a post down, by network. Faults refer to these names. */
export const TAKEDOWN_CALLS: Record<string, string> = {
  bluesky: "com.atproto.repo.deleteRecord",
  facebook: "delete",
  linkedin: "posts/delete",
  pinterest: "pins/delete",
  telegram: "deleteMessage",
  threads: "delete",
  x: "tweets/delete",
  youtube: "videos.delete",
};
