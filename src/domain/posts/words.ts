// The words by which posts are found: whole words, ignoring case in any script.
import type { Json, JsonObject } from "../json.ts";
import type { Poll } from "./poll.ts";
import { getThread, type ThreadPart } from "./thread.ts";

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The words of a text in order, each normalized to one spelling for all its cases and forms. */
export function splitWords(text: string): string[] {
  // Upper case first, which makes `ß` and `SS` equal. A final sigma and the dot of a Turkish capital differ only by case.
  const folded = text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").replaceAll("i\u0307", "i");
  return (folded.match(RUN) ?? []).flatMap((run) =>
    UNSPACED.test(run) ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [run],
  );
}

interface Written {
  text: string;
  overrides: Record<string, JsonObject>;
  labels: string[];
  thread: ThreadPart[] | null;
  poll: Poll | null;
}

/** All texts that were written in a post, except those of its files. */
function listTexts({ text, overrides, labels, thread, poll }: Written): string[] {
  const below = (value: Json): string[] => {
    if (typeof value === "string") return [value];
    return value !== null && typeof value === "object" ? Object.values(value).flatMap(below) : [];
  };
  const overrideTexts = Object.values(overrides).flatMap(
    ({ media: _media, thread: _thread, publish_at: _publishAt, ...options }) => below(options),
  );
  const threadParts = [
    ...(thread ?? []),
    ...Object.keys(overrides).flatMap((channel) => getThread({ thread: null, overrides }, channel)),
  ];
  const pollTexts = poll === null ? [] : [poll.question, ...poll.options];
  return [text, ...pollTexts, ...threadParts.map((threadPart) => threadPart.text), ...overrideTexts, ...labels];
}

/** The words of a post, each once and between two spaces, in the form that is stored and searched. */
export function storedWords(post: Written): string {
  return ` ${[...new Set(listTexts(post).flatMap(splitWords))].join(" ")} `;
}
