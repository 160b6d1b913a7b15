// Any character of Unicode, like `binary` of fast-check, which builds a table of a million characters before its first string.
import fc from "fast-check";

const [SURROGATES, AFTER_SURROGATES, LAST] = [0xd800, 0xe000, 0x10ffff];
const GAP = AFTER_SURROGATES - SURROGATES;

/** A unit for `fc.string`. */
export const anyCharacter = fc.nat({ max: LAST - GAP }).map(
  (index) => String.fromCodePoint(index < SURROGATES ? index : index + GAP),
  (character) => {
    const [firstCharacter = "", ...otherCharacters] = typeof character === "string" ? character : "";
    const code = firstCharacter.codePointAt(0);
    if (code === undefined || otherCharacters.length > 0 || (code >= SURROGATES && code < AFTER_SURROGATES))
      throw new TypeError("not one character");
    return code < SURROGATES ? code : code - GAP;
  },
);
