// The rules for a request to create a pin: pinterest/api-description 5.23.0, pins/create, read 2026-11-20.

export interface Pin {
  board: string;
  section: string | null;
  title: string | null;
  description: string;
  link: string | null;
  alt: string | null;
  source:
    | { type: "image_url"; url: string }
    | { type: "multiple_image_urls"; urls: string[] }
    | { type: "video_id"; mediaId: string; cover: number | string };
}

export class PinRefused extends Error {}

const FIELDS = [
  "board_id",
  "board_section_id",
  "title",
  "description",
  "link",
  "alt_text",
  "dominant_color",
  "parent_pin_id",
  "media_source",
];

/** Parses the body of a request. Throws `PinRefused` where Pinterest would refuse the request. */
export function readPin(body: Map<string, unknown>): Pin {
  const unknown = [...body.keys()].filter((name) => !FIELDS.includes(name));
  if (unknown.length > 0) throw new PinRefused(`additional properties are not allowed: ${unknown.join(", ")}`);
  const text = (name: string, max: number): string | null => {
    const value = body.get(name) ?? null;
    if (value === null) return null;
    if (typeof value !== "string") throw new PinRefused(`${name} must be a string`);
    if ([...value].length > max) throw new PinRefused(`${name} is longer than ${max}`);
    return value;
  };
  const id = (name: string): string | null => {
    const value = text(name, 40);
    if (value !== null && !/^\d+$/.test(value)) throw new PinRefused(`${value} does not match ^\\d+$`);
    return value;
  };
  const board = id("board_id");
  if (board === null) throw new PinRefused("board_id is required");
  const link = text("link", 2_048);
  if (link !== null && !URL.canParse(link)) throw new PinRefused("link is not an address");
  return {
    board,
    section: id("board_section_id"),
    title: text("title", 100),
    description: text("description", 800) ?? "",
    link,
    alt: text("alt_text", 500),
    source: readSource(body.get("media_source")),
  };
}

/** 2 to 5 images, each with an address: PinMediaSourceImagesURL, read 2026-11-27. */
function readItems(source: Map<string, unknown>): string[] {
  const items = source.get("items");
  const index = source.get("index") ?? 0;
  if (!Array.isArray(items) || items.length < 2 || items.length > 5)
    throw new PinRefused("items must have 2 to 5 images");
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0) throw new PinRefused("index is invalid");
  return items.map((item) => {
    const { url } = Object(item);
    if (typeof url !== "string") throw new PinRefused("url is required in every item");
    return url;
  });
}

function readSource(value: unknown): Pin["source"] {
  const source = new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
  const url = source.get("url");
  const mediaId = source.get("media_id");
  if (source.get("source_type") === "image_url" && typeof url === "string") return { type: "image_url", url };
  if (source.get("source_type") === "multiple_image_urls")
    return { type: "multiple_image_urls", urls: readItems(source) };
  if (source.get("source_type") === "video_id" && typeof mediaId === "string") {
    const frame = source.get("cover_image_key_frame_time");
    const cover = source.get("cover_image_url") ?? (Number.isInteger(frame) ? Number(frame) : undefined);
    if (typeof cover !== "string" && typeof cover !== "number")
      throw new PinRefused("one of cover_image_url or cover_image_content_type is required");
    return { type: "video_id", mediaId, cover };
  }
  throw new PinRefused("media_source is not one of the kinds that are taken");
}
