// Splits a text into the parts of a thread.

/** Finds the index at which a text becomes too long for a part; null: it fits. */
type FindCut = (text: string) => number | null;

/** A line of dashes, stars or equals signs between two parts. */
const SEPARATOR = /\n[ \t]*(?:-{3,}|\*{3,}|={3,})[ \t]*\n/;
const PARAGRAPH = /\n[ \t]*\n/;
/** Where a text may be divided, best first. A part keeps at least the given share of the room before a weaker place is chosen. */
const BREAKS: readonly { pattern: RegExp; least: number }[] = [
  { pattern: /\n[ \t]*\n/g, least: 0.3 },
  { pattern: /\n/g, least: 0.4 },
  { pattern: /[.!?…。！？]["'”’)]*\s+|[。！？]/g, least: 0.4 },
  { pattern: /\s+/g, least: 0 },
];

const trimAll = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== "");

/** The end of the first part of a text that is too long. */
function findBreak(text: string, cut: number): number {
  for (const { pattern, least } of BREAKS) {
    const ends = [...text.slice(0, cut + 1).matchAll(pattern)].map(
      ({ 0: match, index }) => index + match.trimEnd().length,
    );
    const end = ends.findLast((position) => position <= cut && position > cut * least && position > 0);
    if (end !== undefined) return end;
  }
  return Math.max(1, cut);
}

/** As few parts as possible, divided between paragraphs, lines, sentences or words. */
export function splitToFit(text: string, findCut: FindCut): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  for (let cut = findCut(rest); cut !== null; cut = findCut(rest)) {
    const end = findBreak(rest, cut);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return trimAll([...parts, rest]);
}

/**
 * The parts of a text: divided at lines of dashes; or, if it is too long, so that each part fits; or at the cursor; or
 * between its paragraphs. A text that cannot be divided is the only part.
 */
export function splitText(text: string, cursor: number, findCut: FindCut): string[] {
  const sections = trimAll(text.split(new RegExp(SEPARATOR, "g")));
  if (sections.length > 1) return sections.flatMap((section) => splitToFit(section, findCut));
  if (findCut(text.trim()) !== null) return splitToFit(text, findCut);
  const atCursor = trimAll([text.slice(0, cursor), text.slice(cursor)]);
  if (atCursor.length > 1) return atCursor;
  const paragraphs = trimAll(text.split(new RegExp(PARAGRAPH, "g")));
  return paragraphs.length > 1 ? paragraphs : [text];
}
