// Finds links, mentions and tags of a text, by UTF-8 byte offsets, like the official client (atproto
// packages/api/src/rich-text/detection.ts, read 2026-11-20). The text itself is never changed.
import tlds from "tlds";
import { utf8Length } from "../../domain/posts/text-length.ts";

type Feature = { kind: "link"; uri: string } | { kind: "mention"; handle: string } | { kind: "tag"; tag: string };
export interface Span {
  byteStart: number;
  /** Exclusive. */
  byteEnd: number;
  feature: Feature;
}

const TLDS: ReadonlySet<string> = new Set(tlds);
const MENTION = /(?<lead>^|\s|\()@(?<handle>[a-zA-Z0-9.-]+)\b/g;
const LINK = /(?<lead>^|\s|\()(?<link>https?:\/\/\S+|(?<domain>[a-z][a-z0-9]*(?:\.[a-z0-9]+)+)\S*)/gi;
// Invisible characters end a tag, and so do the characters that join an emoji from others.
const TAG =
  /(?<lead>^|\s)[#＃](?<tag>(?!\ufe0f)[^\s\u00AD\u2060\u200A-\u200D]*[^\d\s\p{P}\u00AD\u2060\u200A-\u200D]+[^\s\u00AD\u2060\u200A-\u200D]*)/gu;
const CASHTAG = /(?<lead>^|\s|\()\$(?<ticker>[A-Za-z][A-Za-z0-9]{0,4})(?=\s|$|[.,;:!?)"'\u2019])/g;
const PUNCTUATION = /^\p{P}$/u;
/** 64 graphemes: app.bsky.richtext.facet lexicon, read 2026-11-20. */
const TAG_LENGTH_MAX = 64;

function hasRealEnding(domain: string): boolean {
  return TLDS.has(domain.slice(domain.lastIndexOf(".") + 1).toLowerCase());
}

/** The spans of a text, in order; of two overlapping spans the first counts. */
export function findSpans(text: string): Span[] {
  const candidates = [...mentions(text), ...links(text), ...tags(text), ...cashtags(text)].sort(
    (a, b) => a.start - b.start,
  );
  const spans: Span[] = [];
  let end = 0;
  let byteEnd = 0;
  for (const { start, length, feature } of candidates) {
    if (start < end) continue;
    const byteStart = byteEnd + utf8Length(text.slice(end, start));
    end = start + length;
    byteEnd = byteStart + utf8Length(text.slice(start, end));
    spans.push({ byteStart, byteEnd, feature });
  }
  return spans;
}

/** UTF-16 positions in the text. */
interface Found {
  start: number;
  length: number;
  feature: Feature;
}

function* mentions(text: string): Generator<Found> {
  for (const match of text.matchAll(MENTION)) {
    const { lead = "", handle = "" } = match.groups ?? {};
    if (!handle.includes(".") || (!hasRealEnding(handle) && !handle.endsWith(".test"))) continue;
    yield { start: match.index + lead.length, length: handle.length + 1, feature: { kind: "mention", handle } };
  }
}

function* links(text: string): Generator<Found> {
  for (const match of text.matchAll(LINK)) {
    const { lead = "", domain } = match.groups ?? {};
    let link = match.groups?.link ?? "";
    if (domain !== undefined && !hasRealEnding(domain)) continue;
    if (/[.,;:!?]$/.test(link)) link = link.slice(0, -1);
    if (link.endsWith(")") && !link.includes("(")) link = link.slice(0, -1);
    const uri = domain === undefined ? link : `https://${link}`;
    if (!URL.canParse(uri)) continue;
    yield { start: match.index + lead.length, length: link.length, feature: { kind: "link", uri } };
  }
}

function* tags(text: string): Generator<Found> {
  for (const match of text.matchAll(TAG)) {
    const { lead = "", tag: raw = "" } = match.groups ?? {};
    const tag = withoutPunctuationAtEnd(raw.trim());
    if (tag.length === 0 || tag.length > TAG_LENGTH_MAX) continue;
    yield { start: match.index + lead.length, length: tag.length + 1, feature: { kind: "tag", tag } };
  }
}

/** Removes characters from the end. A regular expression would be slow, because it also starts at inner punctuation. */
function withoutPunctuationAtEnd(tag: string): string {
  const characters = [...tag];
  while (PUNCTUATION.test(characters.at(-1) ?? "")) characters.pop();
  return characters.join("");
}

function* cashtags(text: string): Generator<Found> {
  for (const match of text.matchAll(CASHTAG)) {
    const { lead = "", ticker = "" } = match.groups ?? {};
    const feature = { kind: "tag", tag: `$${ticker.toUpperCase()}` } as const;
    yield { start: match.index + lead.length, length: ticker.length + 1, feature };
  }
}
