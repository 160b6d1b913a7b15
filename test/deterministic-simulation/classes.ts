/** The networks by the way in which a send without an answer is resolved (docs/delivery.md#classes). */
export const CLASS_OF: Record<string, string> = {
  x: "d+",
  pinterest: "d",
  instagram: "b",
  tiktok: "b'",
  linkedin: "d+",
  youtube: "c",
  facebook: "d",
  threads: "b",
  bluesky: "a",
  telegram: "d",
};
export const PLATFORMS = Object.keys(CLASS_OF);
