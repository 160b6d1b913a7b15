// Little text as LinkedIn reads it: an escaped character is itself, a hashtag is itself, and whatever begins another element
// that is none ends the text without a word.

const RESERVED = "\\|{}@[]()<>#*_~";

/** What people will see of a commentary. */
export function visibleText(commentary: string): string {
  let text = "";
  for (let i = 0; i < commentary.length; i++) {
    const character = commentary.charAt(i);
    const next = commentary.charAt(i + 1);
    if (character === "\\" && RESERVED.includes(next)) {
      text += next;
      i++;
    } else if (character === "#" && /[\p{L}\p{N}]/u.test(commentary.slice(i + 1, i + 3))) text += character;
    else if (RESERVED.includes(character)) return text;
    else text += character;
  }
  return text;
}
