/** The networks' own names of the calls that take a post down, for the faults. */
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
