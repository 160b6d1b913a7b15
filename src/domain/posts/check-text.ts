// Checks a post target's text against its channel's rule.

import { type Violation, violation } from "../refusal.ts";
import { TEXT_PARTS } from "./platform-rule.ts";
import { effectivePostType, type PostTarget, textLimit } from "./post-target.ts";
import { type Measured, type TextMeter, utf8Length } from "./text-length.ts";
import type { Unit } from "./units.ts";

/** A text that is far too long is refused for its length alone, without further checks. */
export function* checkText(target: PostTarget, meter: TextMeter): Generator<Violation, void> {
  const measured = meter.lengthAgainst(textLimit(target), target.text, target.rule);
  yield* checkLength(target, measured);
  if (!measured.atLeast) yield* checkParts(target, meter);
  yield* checkCharacters(target);
}

function* checkLength(target: PostTarget, { length, atLeast }: Measured): Generator<Violation, void> {
  const { rule, text } = target;
  const limit = textLimit(target);
  if (length > limit && !target.isLongText)
    yield tooLong(target, { actual: length, limit, unit: rule.text_unit, atLeast });
  const maxBytes = rule.text_max_bytes;
  const bytes = maxBytes === undefined ? 0 : utf8Length(text);
  if (maxBytes !== undefined && bytes > maxBytes)
    yield tooLong(target, { actual: bytes, limit: maxBytes, unit: "bytes", atLeast: false });
}

function tooLong(
  target: PostTarget,
  { actual, limit, unit, atLeast }: { actual: number; limit: number; unit: Unit; atLeast: boolean },
): Violation {
  const { platform } = target.rule;
  const least = atLeast ? "at least " : "";
  return violation("text_too_long", {
    field: target.textField,
    message:
      limit === 0
        ? `A ${effectivePostType(target)} on ${platform} cannot have text; this one has ${least}${actual} ${unit}.`
        : `${platform} allows ${limit} ${unit}${target.media.length > 0 ? " with a file" : ""}; this text has ${least}${actual}.`,
    hint:
      limit === 0
        ? 'Give this channel `"text": ""` in `overrides`.'
        : `Shorten the text by ${least}${actual - limit} ${unit}, or give this channel its own text in \`overrides\`.`,
    limit,
    actual,
    unit,
    over_by: actual - limit,
    ...(atLeast ? { at_least: true } : {}),
  });
}

function* checkParts({ rule, text, textField: field }: PostTarget, meter: TextMeter): Generator<Violation, void> {
  for (const textPart of TEXT_PARTS) {
    const limit = rule.text_parts?.[textPart];
    if (limit === undefined) continue;
    const actual = meter.parts(text, textPart).length;
    if (actual <= limit) continue;
    yield violation("too_many_text_parts", {
      field,
      message: `${rule.platform} allows ${limit} ${textPart} in one text; this text has ${actual}.`,
      hint: `Remove ${actual - limit}, or give this channel its own text in \`overrides\`.`,
      limit,
      actual,
      unit: textPart,
      over_by: actual - limit,
    });
  }
}

function* checkCharacters({ rule, text, textField: field }: PostTarget): Generator<Violation, void> {
  const forbiddenCharacters = (rule.text_without ?? []).filter((character) => text.includes(character));
  if (forbiddenCharacters.length === 0) return;
  yield violation("character_not_allowed", {
    field,
    message: `${rule.platform} does not allow ${forbiddenCharacters.map((character) => `\`${character}\``).join(" or ")} in a text.`,
    hint: "Use other characters, or give this channel its own text in `overrides`.",
    characters: forbiddenCharacters,
  });
}
