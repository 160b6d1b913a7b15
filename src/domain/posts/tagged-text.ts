// Texts and options with tagged links. The links are those that `findLinks` finds.
import { isObject, type Json, type JsonObject } from "../json.ts";
import { type LinkTags, mayHaveLinks, type TaggedDelivery, tagAddress, tagLinks } from "./link-tags.ts";
import { findLinks } from "./links.ts";

/** The text with its links tagged. */
export const tagText = (text: string, tags: LinkTags | null, delivery: TaggedDelivery): string =>
  tags === null || !mayHaveLinks(text) ? text : tagLinks(text, findLinks(text), tags, delivery);

/** Options that are an address, and those that are a text. */
const ADDRESSES = ["link", "link_preview_url"];
const TEXTS = ["first_comment", "photo_description", "text_attachment"];
/** Options with an address inside: the card of a link. */
const CARDS: Record<string, string> = { link_card: "url", article: "source" };

/** A network's options with their links tagged. */
export function tagOptions(options: JsonObject, tags: LinkTags | null, delivery: TaggedDelivery): JsonObject {
  if (tags === null) return options;
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, tagOption(name, value, { tags, delivery })]),
  );
}

function tagOption(name: string, value: Json, { tags, delivery }: { tags: LinkTags; delivery: TaggedDelivery }): Json {
  if (typeof value === "string") {
    if (ADDRESSES.includes(name)) return tagAddress(value, tags, delivery);
    return TEXTS.includes(name) ? tagText(value, tags, delivery) : value;
  }
  const inside = CARDS[name];
  if (inside === undefined || !isObject(value)) return value;
  const address = value[inside];
  return typeof address === "string" ? { ...value, [inside]: tagAddress(address, tags, delivery) } : value;
}
