// The parts of a thread that a text is divided into in the editor.
import { type FindCut, splitToFit } from "../../domain/posts/split-text.ts";

/** A line of dashes, stars or equals signs between two parts. */
const SEPARATOR = /\n[ \t]*(?:-{3,}|\*{3,}|={3,})[ \t]*\n/;
const PARAGRAPH = /\n[ \t]*\n/;

const trimAll = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== "");

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
