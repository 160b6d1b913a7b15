// Splits a JSON Lines file that exceeds the limit of one call into parts of one call each.
import { BODY_BYTES_MAX, IMPORT_ROWS_MAX } from "../src/domain/limits.ts";

export interface ImportPart {
  text: string;
  /** Returns the line of the whole file that is this line of the part. Both are counted from 1. */
  lineOf(line: number): number;
}

interface Line {
  /** The line number in the whole file, counted from 1. */
  line: number;
  text: string;
  bytes: number;
}

/** Types of export lines that an import ignores: all but those of channels, files and posts. */
export const PASSED_OVER: readonly unknown[] = [
  "workspace",
  "connector_request",
  "webhook",
  "slots",
  "channel_group",
  "snippet",
  "feed",
  "portal",
  "portal_decision",
  "comment",
  "event",
  "audit",
  "end",
];
/** Matches the ids of channels and files that a post refers to. They have lines of their own. */
const NAMES = /\b(?:ch|med)_\w+/g;

/**
 * The whole file, if it fits into one call. Otherwise each part has some posts, and the channels and files that they name.
 */
export function splitImportFile(file: string): ImportPart[] {
  const lines = file.split("\n").map((text, i): Line => ({ line: i + 1, text, bytes: Buffer.byteLength(text) + 1 }));
  const linesById = new Map<string, Line>();
  const posts: Line[] = [];
  for (const line of lines) {
    const { type, id } = read(line.text);
    if (line.text.trim() === "" || PASSED_OVER.includes(type)) continue;
    if (type === "channel" || type === "media") linesById.set(`${id}`, line);
    else posts.push(line);
  }
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0);
  if (posts.length <= IMPORT_ROWS_MAX && bytes <= BODY_BYTES_MAX) return [{ text: file, lineOf: (line) => line }];

  // An id in another format could appear anywhere, so its line goes into every part.
  const always = [...linesById].filter(([id]) => id.match(NAMES)?.[0] !== id).map(([, line]) => line);
  const parts: Line[][] = [];
  let [currentLines, count, size] = [new Set<Line>(), 0, 0];
  for (const post of posts) {
    const requiredLines = [...always, ...(post.text.match(NAMES) ?? []).flatMap((id) => linesById.get(id) ?? []), post];
    const countBytes = (lines: Iterable<Line>) => [...lines].reduce((sum, line) => sum + line.bytes, 0);
    const addedBytes = countBytes(new Set(requiredLines.filter((line) => !currentLines.has(line))));
    if (count > 0 && (count === IMPORT_ROWS_MAX || size + addedBytes > BODY_BYTES_MAX)) {
      parts.push([...currentLines]);
      [currentLines, count, size] = [new Set(), 0, 0];
    }
    size += currentLines.size === 0 ? countBytes(new Set(requiredLines)) : addedBytes;
    count++;
    for (const line of requiredLines) currentLines.add(line);
  }
  parts.push([...currentLines]);
  return parts.map((partLines) => ({
    text: partLines.map(({ text }) => text).join("\n"),
    lineOf: (line) => partLines[line - 1]?.line ?? line,
  }));
}

function read(text: string): { type?: unknown; id?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // The service reports the error in this line.
    return {};
  }
}
