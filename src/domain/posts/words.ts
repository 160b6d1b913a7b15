// The words that posts are found by: whole, and without regard to case in any script.
import type { Json, JsonObject } from "../json.ts";
import { type ThreadPart, threadOf } from "./thread.ts";

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The words of a text in their order, each in one spelling for all of its cases and forms. */
export function wordsOf(text: string): string[] {
  // Upper case first: `ß` and `SS` meet there. A sigma at the end of a word and the dot of a Turkish capital differ by case alone.
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
}

/** All that was written in a post, but for its files. */
function textsOf({ text, overrides, labels, thread }: Written): string[] {
  const below = (value: Json): string[] => {
    if (typeof value === "string") return [value];
    return value !== null && typeof value === "object" ? Object.values(value).flatMap(below) : [];
  };
  const own = Object.values(overrides).flatMap(({ media: _media, thread: _thread, ...options }) => below(options));
  const parts = [
    ...(thread ?? []),
    ...Object.keys(overrides).flatMap((channel) => threadOf({ thread: null, overrides }, channel)),
  ];
  return [text, ...parts.map((part) => part.text), ...own, ...labels];
}

/** The words of a post, each once and between two spaces, as they are stored and looked for. */
export function storedWords(post: Written): string {
  return ` ${[...new Set(textsOf(post).flatMap(wordsOf))].join(" ")} `;
}
