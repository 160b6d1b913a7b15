// Splits a text into the parts of a thread. Nothing but white space between two parts is lost, and no part begins or ends inside
// a link, a mention, a hashtag or a character.
import { type Counting, type Measured, measure } from "./measure-text.ts";

/** Finds the index at which a text becomes too long for a part; null: it fits. */
export type FindCut = (text: string) => number | null;

/** Where a text may be divided, best first. A part keeps at least the given share of the room before a weaker place is chosen. */
const BREAKS: readonly { pattern: RegExp; least: number }[] = [
  { pattern: /\n[ \t]*\n/g, least: 0.3 },
  { pattern: /\n/g, least: 0.4 },
  { pattern: /[.!?…。！？]["'”’)]*\s+|[。！？]/g, least: 0.4 },
  { pattern: /\s+/g, least: 0 },
];
/** Links, mentions with a name, and names that begin with @, # or $. */
const WHOLE =
  /https?:\/\/\S+|@\[[^\]\n]*\]\([^)\s]*\)|[@#$][\p{L}\p{M}\p{N}_.-]+|(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,}(?:\/\S*)?/gu;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
/** No grapheme that people write is longer, and a cut is looked for in its surroundings only. */
const NEAR = 200;

const trimAll = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== "");

/** No link that a network takes is longer. */
const WHOLE_LENGTH_MAX = 4_096;

/** The places where a text must not be divided. */
const listWholes = (text: string) =>
  Array.from(text.matchAll(WHOLE), ({ 0: whole, index }) => ({ start: index, end: index + whole.length }));

/** The end of the first part of a text that is too long from `cut` on. */
function findBreak(text: string, cut: number): number {
  const wholes = listWholes(text.slice(0, cut + WHOLE_LENGTH_MAX));
  const isInside = (position: number) => wholes.some(({ start, end }) => start < position && position < end);
  for (const { pattern, least } of BREAKS) {
    const ends = [...text.slice(0, cut + 1).matchAll(pattern)].map(
      ({ 0: match, index }) => index + match.trimEnd().length,
    );
    const end = ends.findLast(
      (position) => position <= cut && position > cut * least && position > 0 && !isInside(position),
    );
    if (end !== undefined) return end;
  }
  const whole = wholes.find(({ start, end }) => start < cut && cut < end);
  // A link that is longer than a part cannot be divided: it is a part of its own, which the service refuses.
  if (whole !== undefined) return whole.start > 0 ? whole.start : whole.end;
  return findGrapheme(text, cut);
}

/** The start of the character at `cut`; its end if the text begins with it. */
function findGrapheme(text: string, cut: number): number {
  const from = Math.max(0, cut - NEAR);
  const segments = segmenter.segment(text.slice(from, cut + NEAR));
  const { index = 0, segment = "" } = segments.containing(cut - from) ?? {};
  return from + index > 0 ? from + index : from + index + Math.max(1, segment.length);
}

/** As few parts as possible, divided between paragraphs, lines, sentences or words. */
export function splitToFit(text: string, findCut: FindCut): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  for (let cut = findCut(rest); cut !== null; cut = findCut(rest)) {
    const end = findBreak(rest, Math.max(1, cut));
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return trimAll([...parts, rest]);
}

/** How much text a network accepts in one part: its rule in `GET /v1/platforms`. */
export interface PartLimit extends Counting {
  text_limit: number;
  /** The text as the network gets it, with parameters in its links; absent: as it is written. */
  tag?: ((text: string) => string) | undefined;
}

/** Where a text becomes too long for a part, counting what is added to its links; `length`: of all of it. */
export function measurePart(text: string, limit: PartLimit, isCautious = false): Measured | null {
  const { text_limit: max, tag } = limit;
  const written = measure(text, limit, max, isCautious);
  if (written === null || tag === undefined) return written;
  const countAdded = (part: string) =>
    (measure(tag(part), limit, max, isCautious)?.length ?? 0) - (measure(part, limit, max, isCautious)?.length ?? 0);
  const length = written.length + countAdded(text);
  if (length <= max) return { length, cut: null };
  // Only the links before the cut make the part longer.
  const room = max - countAdded(text.slice(0, written.cut ?? text.length));
  return { length, cut: measure(text, limit, Math.max(1, room), isCautious)?.cut ?? written.cut };
}

/** Longer texts are counted in pieces of this length. */
const COUNTED_MAX = 16_000;

/**
 * Splits a text into the parts of a thread, so that each part fits on every network. The first part is the post's `text`, the
 * others are its `thread`. `limits`: the rules of the networks.
 */
export function splitIntoThread(text: string, limits: readonly PartLimit[]): string[] {
  return splitToFit(text, (rest) => {
    const counted = rest.slice(0, COUNTED_MAX);
    const cuts = limits.flatMap((limit) => measurePart(counted, limit, true)?.cut ?? []);
    if (cuts.length > 0) return Math.min(...cuts);
    return counted.length < rest.length ? counted.length : null;
  });
}
