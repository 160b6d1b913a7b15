// Checks a post target's text against its channel's rule.

import { type Violation, violation } from "../refusal.ts";
import { TEXT_PARTS } from "./platform-rule.ts";
import { effectivePostType, type PostTarget, textLimit } from "./post-target.ts";
import { type Measured, type TextMeter, utf8Length } from "./text-length.ts";

/** A text that is far too long is refused for its length alone, without further checks. */
export function checkText(target: PostTarget, meter: TextMeter): Violation[] {
  const measured = meter.lengthAgainst(textLimit(target), target.text, target.rule);
  const parts = measured.atLeast ? [] : checkParts(target, meter);
  return [...checkLength(target, measured), ...parts, ...checkCharacters(target)];
}

function checkLength(target: PostTarget, { length, atLeast }: Measured): Violation[] {
  const { rule, text, textField: field } = target;
  const limit = textLimit(target);
  const type = effectivePostType(target);
  const limits: [number, number, string, string][] = [[length, limit, rule.text_unit, atLeast ? "at least " : ""]];
  if (rule.text_max_bytes !== undefined) limits.push([utf8Length(text), rule.text_max_bytes, "bytes", ""]);
  return limits
    .filter(([actual, limit]) => actual > limit)
    .map(([actual, limit, unit, least]) =>
      violation("text_too_long", {
        field,
        message:
          limit === 0
            ? `A ${type} on ${rule.platform} cannot have text; this one has ${least}${actual} ${unit}.`
            : `${rule.platform} allows ${limit} ${unit}${target.media.length > 0 ? " with a file" : ""}; this text has ${least}${actual}.`,
        hint:
          limit === 0
            ? 'Give this channel `"text": ""` in `overrides`.'
            : `Shorten the text by ${least}${actual - limit} ${unit}, or give this channel its own text in \`overrides\`.`,
        limit,
        actual,
        unit,
        over_by: actual - limit,
        ...(least === "" ? {} : { at_least: true }),
      }),
    );
}

function checkParts({ rule, text, textField: field }: PostTarget, meter: TextMeter): Violation[] {
  return TEXT_PARTS.flatMap((textPart) => {
    const limit = rule.text_parts?.[textPart];
    if (limit === undefined) return [];
    const actual = meter.parts(text, textPart).length;
    if (actual <= limit) return [];
    return violation("too_many_text_parts", {
      field,
      message: `${rule.platform} allows ${limit} ${textPart} in one text; this text has ${actual}.`,
      hint: `Remove ${actual - limit}, or give this channel its own text in \`overrides\`.`,
      limit,
      actual,
      unit: textPart,
      over_by: actual - limit,
    });
  });
}

function checkCharacters({ rule, text, textField: field }: PostTarget): Violation[] {
  const forbiddenCharacters = (rule.text_without ?? []).filter((character) => text.includes(character));
  if (forbiddenCharacters.length === 0) return [];
  return [
    violation("character_not_allowed", {
      field,
      message: `${rule.platform} does not allow ${forbiddenCharacters.map((character) => `\`${character}\``).join(" or ")} in a text.`,
      hint: "Use other characters, or give this channel its own text in `overrides`.",
    }),
  ];
}
