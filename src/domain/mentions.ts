// Mentions in comments: an `@` and the name or the email address of a member.

/** Whether a text mentions a person, in any case. */
export function isMentioned(text: string, { name, email }: { name: string | null; email: string }): boolean {
  const folded = fold(text);
  return [name, email].some((word) => word !== null && word.trim() !== "" && mentions(folded, `@${fold(word.trim())}`));
}

const fold = (text: string) => text.normalize("NFKC").toLowerCase();
const LETTER = /[\p{L}\p{N}]/u;

/** Whether a word stands alone in a text. `@Ada` is not in `@Adam`, and `@example.com` is not in `ada@example.com`. */
function mentions(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text.slice(0, at).match(/.$/su)?.[0] ?? "";
    const after = text.slice(at + word.length).match(/^./su)?.[0] ?? "";
    if (!LETTER.test(before) && !LETTER.test(after)) return true;
  }
  return false;
}
