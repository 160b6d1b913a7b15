// What the page shows of a container besides its text and its files.
import { type Fields, GraphError } from "../containers/graph.ts";
import type { World } from "../simulator.ts";
import { parsed } from "./checks.ts";

const COVER_BYTES_MAX = 8_388_608;

/** The SHA-256 of the cover image, which the network fetches; null if the post has no cover. */
export async function readCover(
  { cover_url: url }: Fields,
  download: World["files"]["download"],
): Promise<string | null> {
  if (url === undefined) return null;
  const fetched = URL.canParse(url) ? await download(url) : null;
  if (fetched?.type !== "image/jpeg")
    throw new GraphError(9004, 2207052, "Only photo or video can be accepted as media type.", {
      said: "The media could not be fetched from this URI.",
    });
  if (fetched.bytes > COVER_BYTES_MAX)
    throw new GraphError(36000, 2207004, "The image size is too large.", {
      said: "The cover should be less than 8 MiB.",
    });
  return fetched.sha256;
}

/** Tagged people and the audio's name. */
export function describeExtras({ user_tags: tags, audio_name: audio, ...fields }: Fields): Record<string, string> {
  const people = tags === undefined ? [] : parsed(tags);
  const names = (Array.isArray(people) ? people : []).map((tag) => {
    const { username, x, y } = Object(tag);
    return x === undefined ? `@${username}` : `@${username} at ${x}, ${y}`;
  });
  return {
    ...(names.length > 0 && { Tagged: names.join(" · ") }),
    ...(audio !== undefined && { Audio: audio }),
    ...describePartnership(fields),
  };
}

/** The facts of a carousel's items, each label once. */
export function joinFacts(items: Record<string, string>[]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [label, value] of items.flatMap((item) => Object.entries(item)))
    joined[label] = joined[label] === undefined ? value : `${joined[label]} · ${value}`;
  return joined;
}

/** The label of a paid partnership, with the ids of its brands. */
export function describePartnership(fields: Fields): Record<string, string> {
  const { is_paid_partnership: label, branded_content_sponsor_ids: sponsors } = fields;
  if (label !== "true" && sponsors === undefined) return {};
  const ids = sponsors === undefined ? [] : parsed(sponsors);
  return { Partnership: Array.isArray(ids) && ids.length > 0 ? ids.map(String).join(", ") : "paid" };
}
