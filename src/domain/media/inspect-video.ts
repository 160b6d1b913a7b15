import { hasBoxes } from "./boxes.ts";
import { type FileFacts, NO_FACTS, type ReadRange } from "./file-facts.ts";
import { movieBox, movieFacts } from "./mp4.ts";
import { webmFacts } from "./webm.ts";

/**
 * The width, height and duration of a video of `bytes` bytes that begins with `head`. Only headers are read. Headers can have
 * false positions and sizes, so no number in a header is trusted. Throws only errors of `read`.
 */
export async function videoFacts(head: Uint8Array, bytes: number, read: ReadRange): Promise<FileFacts> {
  const movie = hasBoxes(head) ? await movieBox(head, bytes, read) : null;
  try {
    if (!hasBoxes(head)) return sane(webmFacts(head));
    return movie === null ? NO_FACTS : sane(movieFacts(movie));
  } catch {
    return NO_FACTS;
  }
}

/** The facts without impossible values: seconds to the millisecond, and pixels above zero. */
function sane({ width, height, seconds }: FileFacts): FileFacts {
  const milliseconds = Math.round((seconds ?? 0) * 1000);
  const hasSize = isWhole(width) && isWhole(height);
  return {
    width: hasSize ? width : null,
    height: hasSize ? height : null,
    seconds: isWhole(milliseconds) ? milliseconds / 1000 : null,
  };
}

function isWhole(value: number | null): boolean {
  return Number.isSafeInteger(value) && value !== null && value > 0;
}
