// The categories that a video may have.
import { badRequest } from "./errors.ts";

/** Some of the categories that the network lists for the United States. */
const CATEGORIES = [
  ["1", "Film & Animation", true],
  ["10", "Music", true],
  ["18", "Short Movies", false],
  ["22", "People & Blogs", true],
  ["27", "Education", true],
] as const;

/** The answer of `videoCategories.list`. */
export function buildCategoryList({ part, regionCode, id }: Record<string, string>): object {
  if (part !== "snippet") throw badRequest("missingRequiredParameter", "part");
  if (regionCode === undefined && id === undefined) throw badRequest("missingRequiredParameter", "No filter selected.");
  const items = CATEGORIES.map(([id, title, assignable]) => ({
    kind: "youtube#videoCategory",
    id,
    snippet: { title, assignable, channelId: "UCBR8-60-B28hp2BmDPdntcQ" },
  }));
  return { kind: "youtube#videoCategoryListResponse", items };
}
