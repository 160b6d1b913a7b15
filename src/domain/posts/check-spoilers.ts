// Checks the option `text_spoilers`: each phrase must be in the text that it hides, and none may be part of another.
import { type Violation, violation } from "../refusal.ts";
import type { PostTarget } from "./post-target.ts";

/** `phrases`: the channel's option, whose shape is checked elsewhere. */
export function* checkSpoilers(
  { text, rule, channel, optionsField }: PostTarget,
  phrases: unknown,
): Generator<Violation, void> {
  if (!Array.isArray(phrases)) return;
  const ranges: { start: number; end: number }[] = [];
  for (const [index, phrase] of phrases.entries()) {
    if (typeof phrase !== "string") continue;
    const start = text.indexOf(phrase);
    const end = start + phrase.length;
    const isOverlapping = ranges.some((range) => start < range.end && range.start < end);
    if (start >= 0) ranges.push({ start, end });
    if (start >= 0 && !isOverlapping) continue;
    yield violation("invalid_option", {
      field: `${optionsField}/text_spoilers/${index}`,
      channel,
      platform: rule.platform,
      message: isOverlapping
        ? "This phrase overlaps with another one in the text."
        : "The text does not contain this phrase.",
      hint: isOverlapping ? "Hide both as one phrase." : "Copy it from the text, with the same letters and spaces.",
      option: "text_spoilers",
      option_fault: "invalid_value",
    });
  }
}
