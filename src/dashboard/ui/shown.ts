// Effects of a network on a post's display: marked links, names and tags, and the card below the text.

import { findNamedMentions } from "../../domain/posts/named-mentions.ts";
import type { Override } from "../compose/draft.ts";
import { findCardRule, getMarks } from "./networks.ts";
import { isJsonMap, type Json } from "./schema.ts";

/** Links with their scheme but without trailing punctuation; names and tags that stand alone. */
const FOUND =
  /(?<link>https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}])|(?<=^|[\s(])(?:(?<mention>@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?)|(?<tag>[#＃](?=[\p{N}_]*\p{L})[\p{L}\p{N}_]+))/gu;

export interface Stretch {
  text: string;
  marked: boolean;
}

/** Splits a text into segments, some of which are links, names or tags. A mention with a name shows as the name. */
export function splitStretches(text: string, platform: string): Stretch[] {
  if (!getMarks(platform).includes("named_mention")) return splitPlain(text, platform);
  const stretches: Stretch[] = [];
  let from = 0;
  for (const { name, start, end } of findNamedMentions(text)) {
    stretches.push(...splitPlain(text.slice(from, start), platform), { text: name, marked: true });
    from = end;
  }
  return [...stretches, ...splitPlain(text.slice(from), platform)];
}

function splitPlain(text: string, platform: string): Stretch[] {
  const marks = getMarks(platform);
  const stretches: Stretch[] = [];
  let end = 0;
  for (const match of text.matchAll(FOUND)) {
    if (!marks.some((mark) => match.groups?.[mark] !== undefined)) continue;
    stretches.push({ text: text.slice(end, match.index), marked: false }, { text: match[0], marked: true });
    end = match.index + match[0].length;
  }
  return [...stretches, { text: text.slice(end), marked: false }].filter(({ text }) => text !== "");
}

export interface Card {
  url: string;
  /** null: the page's own title. */
  title: string | null;
  description: string | null;
}

const readText = (value: Json | undefined) => (typeof value === "string" && value !== "" ? value : null);

/** The title above the text; a single file's title is shown with the file. */
export const findTitle = ({ title, photo_title }: Override): string | null =>
  typeof title === "string" ? title : typeof photo_title === "string" ? photo_title : null;

/** The card below a post. The network reads the page's own title when the post is published. */
export function findCard(platform: string, text: string, files: number, override: Override): Card | null {
  const rule = findCardRule(platform);
  if (rule === undefined || files > 0) return null;
  const options: Record<string, unknown> = override;
  const cardOption = options[rule.option];
  const bare = (url: string) => ({ url, title: null, description: null });
  if (isJsonMap(cardOption)) {
    const url = readText(cardOption[rule.url ?? ""]);
    return url === null
      ? null
      : { url, title: readText(cardOption.title), description: readText(cardOption.description) };
  }
  const ownCard = isJsonMap(options.link_card) ? options.link_card : {};
  const withOwn = (card: Card): Card => ({
    ...card,
    title: readText(ownCard.title) ?? card.title,
    description: readText(ownCard.description) ?? card.description,
  });
  if (rule.auto !== true) return typeof cardOption === "string" && cardOption !== "" ? withOwn(bare(cardOption)) : null;
  const first = [...text.matchAll(FOUND)].find(({ groups }) => groups?.link !== undefined)?.[0];
  return first === undefined || (cardOption !== undefined && cardOption !== "auto") ? null : bare(first);
}
