// The fields of a post in the feed besides its text and files: docs/graph-api/reference/page/feed, read 2026-11-27. A Page owns
// the domain of a link whose host begins with `owned.`.
import type { PublicFiles } from "../files.ts";
import type { Shown } from "../ledger.ts";
import { type Fields, formatTime, invalidParameter, isFields, toText } from "./graph.ts";

const AGES = [13, 15, 18, 21, 25];
const GRANULARITIES = ["year", "month", "day", "hour", "min", "none"];
const CARD_FIELDS = ["picture", "name", "description"];

export interface FeedFields {
  backdatedAt?: number;
  /** The Page's own words and image for the card of its link. */
  card: Partial<NonNullable<Shown["card"]>>;
  /** What readers see. */
  facts: Record<string, string>;
  detail: Fields;
}

export async function readFeedFields(fields: Fields, link: string | null, files: PublicFiles): Promise<FeedFields> {
  const card = await readCard(fields, link, files);
  const backdatedAt = readBackdated(fields);
  const place = fields.place === undefined ? undefined : toText(fields.place);
  // The words are quoted by users of the API, read 2026-11-27.
  if (place !== undefined && !/^\d+$/.test(place)) throw invalidParameter("param place must be a valid place tag ID");
  const audience = readAudience(fields.targeting);
  const names = [...CARD_FIELDS, "backdated_time", "place", "targeting"];
  return {
    ...(backdatedAt !== undefined && { backdatedAt }),
    card,
    facts: {
      ...(backdatedAt !== undefined && { Date: formatTime(backdatedAt) }),
      ...(place !== undefined && { Place: place }),
      ...(audience !== "" && { Audience: audience }),
    },
    detail: Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]))),
  };
}

async function readCard(fields: Fields, link: string | null, files: PublicFiles): Promise<FeedFields["card"]> {
  if (CARD_FIELDS.every((name) => fields[name] === undefined)) return {};
  if (link === null || !new URL(link).hostname.startsWith("owned."))
    throw invalidParameter(
      "Only owners of the URL have the ability to specify the picture, name, thumbnail or description params.",
    );
  const picture = fields.picture === undefined ? null : await files.download(toText(fields.picture));
  return {
    ...(fields.name !== undefined && { title: toText(fields.name) }),
    ...(fields.description !== undefined && { description: toText(fields.description) }),
    ...(picture !== null && { thumbSha256: picture.sha256 }),
  };
}

function readBackdated({ backdated_time: time, backdated_time_granularity: granularity }: Fields): number | undefined {
  if (time === undefined) return undefined;
  const at = Number(toText(time)) * 1_000;
  if (!Number.isFinite(at) || at >= Date.now()) throw invalidParameter("Param backdated_time must be in the past");
  if (granularity !== undefined && !GRANULARITIES.includes(toText(granularity)))
    throw invalidParameter("Param backdated_time_granularity must be one of {year, month, day, hour, min, none}");
  return at;
}

/** "DE, AT · 18 and older". */
function readAudience(value: Fields[string] | undefined): string {
  if (value === undefined) return "";
  if (!isFields(value)) throw invalidParameter("Param targeting must be an object");
  const { age_min: age, geo_locations: places } = value;
  if (age !== undefined && !AGES.includes(Number(age))) throw invalidParameter("Param targeting[age_min] is invalid");
  const countries = isFields(places) && Array.isArray(places.countries) ? places.countries.map(toText) : [];
  if (countries.some((country) => !/^[A-Z]{2}$/.test(country)))
    throw invalidParameter("Param targeting[geo_locations] has an invalid country");
  return [countries.join(", "), age === undefined ? "" : `${toText(age)} and older`]
    .filter((part) => part !== "")
    .join(" · ");
}
