// Converts text with markup into plain text with entities, according to `parse_mode`; invalid markup is refused.
import { BotError } from "./errors.ts";

export interface Entity {
  type: string;
  /** UTF-16 units. */
  offset: number;
  length: number;
  url?: string;
}
export interface Parsed {
  text: string;
  entities: Entity[];
}

const HTML_TAGS: Record<string, string> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "spoiler",
  a: "text_link",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
};
const CHARACTERS: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

function cannotParse(reason: string): never {
  throw new BotError(400, `can't parse entities: ${reason}`);
}

/**
 * The network's interpretation of a text in a mode. Legacy Markdown is treated as plain text, because Crier never sends it.
 */
export function parseText(text: string, mode: unknown): Parsed {
  switch (String(mode ?? "").toLowerCase()) {
    case "html":
      return parseHtml(text);
    case "markdownv2":
      return parseMarkdown(text);
    case "":
    case "markdown":
      return { text, entities: [] };
    default:
      throw new BotError(400, "unsupported parse_mode");
  }
}

function parseHtml(source: string): Parsed {
  const open: { name: string; offset: number; url?: string }[] = [];
  const entities: Entity[] = [];
  let text = "";
  // A tag, a character reference, or one character.
  for (const [piece, slash, tag, attributes = "", reference] of source.matchAll(
    /<(\/?)([a-z][a-z0-9-]*)?([^<>]*)>|&(#x?[0-9a-f]+|lt|gt|amp|quot);|[\s\S]/giu,
  )) {
    if (reference !== undefined) {
      text += CHARACTERS[reference.toLowerCase()] ?? numbered(reference);
    } else if (slash === undefined) {
      if (piece === "<") cannotParse("Unclosed start tag");
      text += piece;
    } else if (slash === "/") {
      const last = open.pop();
      if (last === undefined) cannotParse("Unexpected end tag");
      else if (tag !== undefined && tag.toLowerCase() !== last.name)
        cannotParse(`Unmatched end tag, expected "</${last.name}>", found "</${tag}>"`);
      else close(last);
    } else {
      const name = (tag ?? "").toLowerCase();
      if (HTML_TAGS[name] === undefined) cannotParse(`Unsupported start tag "${name}"`);
      if (name === "span" && !attributes.includes("tg-spoiler")) cannotParse('Tag "span" must have class "tg-spoiler"');
      const url = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))/i.exec(attributes)?.slice(1).find(Boolean);
      open.push({ name, offset: text.length, ...(url === undefined ? {} : { url }) });
    }
  }
  const [unclosedTag] = open.toReversed();
  if (unclosedTag !== undefined) cannotParse(`Can't find end tag corresponding to start tag "${unclosedTag.name}"`);
  return { text, entities };

  function close({ name, offset, url }: { name: string; offset: number; url?: string }): void {
    const type = HTML_TAGS[name];
    const length = text.length - offset;
    // A link without an address is not a link, and an empty entity is dropped.
    if (type === undefined || length === 0 || (name === "a" && url === undefined)) return;
    entities.push({ type, offset, length, ...(url === undefined ? {} : { url }) });
  }
}

function numbered(reference: string): string {
  const code = /^#x/i.test(reference) ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

const MARKS: [string, string][] = [
  ["```", "pre"],
  ["||", "spoiler"],
  ["__", "underline"],
  ["*", "bold"],
  ["_", "italic"],
  ["~", "strikethrough"],
  ["`", "code"],
  ["[", "text_link"],
];

/** Enough of MarkdownV2 to refuse invalid markup: reserved characters, and unclosed marks. */
function parseMarkdown(source: string): Parsed {
  const open: { mark: string; type: string; offset: number }[] = [];
  const entities: Entity[] = [];
  let text = "";
  let index = 0;
  while (index < source.length) {
    const next = source.charAt(index);
    const inner = open.at(-1);
    const verbatim = inner?.type === "code" || inner?.type === "pre";
    if (next === "\\" && /^[!-~]$/.test(source.charAt(index + 1))) {
      text += source.charAt(index + 1);
      index += 2;
      continue;
    }
    if (inner?.type === "text_link" && next === "]") {
      const [whole = "", url = ""] = /^\]\(((?:\\.|[^)\\])*)\)/.exec(source.slice(index)) ?? [];
      if (whole === "") cannotParse("Can't find end of a URL");
      open.pop();
      entities.push({ type: "text_link", offset: inner.offset, length: text.length - inner.offset, url });
      index += whole.length;
      continue;
    }
    const [mark, type] = MARKS.find(([candidate]) => source.startsWith(candidate, index)) ?? [];
    if (mark !== undefined && type !== undefined && inner?.mark === mark && mark !== "[") {
      open.pop();
      entities.push({ type, offset: inner.offset, length: text.length - inner.offset });
      index += mark.length;
    } else if (mark !== undefined && type !== undefined && !verbatim) {
      if (open.some((outer) => outer.mark === mark)) cannotParse(`Can't find end of ${inner?.type} entity`);
      open.push({ mark, type, offset: text.length });
      index += mark.length;
    } else {
      const startsLine = index === 0 || source.charAt(index - 1) === "\n";
      const quotes = next === ">" && startsLine;
      if (!verbatim && !quotes && /[[\]()~>#+\-=|{}.!]/.test(next))
        cannotParse(`Character '${next}' is reserved and must be escaped with the preceding '\\'`);
      if (!quotes) text += next;
      index++;
    }
  }
  const unclosedEntity = open.at(-1);
  if (unclosedEntity !== undefined) cannotParse(`Can't find end of ${unclosedEntity.type} entity`);
  return { text, entities };
}

const AUTOMATIC = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]|(?<!\S)[@#][\p{L}_][\p{L}\p{N}_]*/gu;

/** Addresses, names and tags that the network links automatically in any text. */
export function withAutomaticLinks({ text, entities }: Parsed): Entity[] {
  const automaticEntities = [...text.matchAll(AUTOMATIC)].map((match): Entity => {
    const [piece] = match;
    const type = piece.startsWith("@") ? "mention" : piece.startsWith("#") ? "hashtag" : "url";
    return { type, offset: match.index, length: piece.length };
  });
  const verbatim = entities.filter(({ type }) => ["code", "pre", "text_link"].includes(type));
  const free = automaticEntities.filter(
    (link) =>
      !verbatim.some(({ offset, length }) => link.offset < offset + length && offset < link.offset + link.length),
  );
  return [...entities, ...free].sort((a, b) => a.offset - b.offset);
}
