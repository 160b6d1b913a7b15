// Any character of Unicode, as `binary` of fast-check; that one makes a table of all the million before its first string.
import fc from "fast-check";

const [SURROGATES, AFTER_SURROGATES, LAST] = [0xd800, 0xe000, 0x10ffff];
const GAP = AFTER_SURROGATES - SURROGATES;

/** A unit for `fc.string`. */
export const anyCharacter = fc.nat({ max: LAST - GAP }).map(
  (index) => String.fromCodePoint(index < SURROGATES ? index : index + GAP),
  (character) => {
    const [one = "", ...others] = typeof character === "string" ? character : "";
    const code = one.codePointAt(0);
    if (code === undefined || others.length > 0 || (code >= SURROGATES && code < AFTER_SURROGATES))
      throw new TypeError("not one character");
    return code < SURROGATES ? code : code - GAP;
  },
);
