// Differences between two texts or two lists, for a person to read.

export interface Piece {
  is: "same" | "removed" | "added";
  text: string;
}

const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
/** Above this many word pairs no table is built: everything between the common beginning and end counts as changed. */
const PAIRS_MAX = 4_000_000;

/**
 * The pieces of two texts, word by word: the same and removed pieces form `before`, the same and added pieces form `after`.
 * Words are split by the rules of the language, even without spaces; an emoji is never cut.
 */
export function wordDiff(before: string, after: string): Piece[] {
  const [old, now] = [wordsIn(before), wordsIn(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return together([
    { is: "same", text: old.slice(0, start).join("") },
    ...between(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    { is: "same", text: old.slice(old.length - end).join("") },
  ]);
}

const wordsIn = (text: string) => Array.from(WORDS.segment(text), ({ segment }) => segment);

/** Compares by the longest common subsequence of words. */
function between(old: string[], now: string[]): Piece[] {
  const width = now.length + 1;
  if (old.length * now.length > PAIRS_MAX) {
    return [
      { is: "removed", text: old.join("") },
      { is: "added", text: now.join("") },
    ];
  }
  // The number of words that the remainders of both texts have in common.
  const common = new Uint32Array((old.length + 1) * width);
  const getCommonCount = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j]
          ? getCommonCount(i + 1, j + 1) + 1
          : Math.max(getCommonCount(i + 1, j), getCommonCount(i, j + 1));
    }
  }
  const pieces: Piece[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length; ) {
    const [word, newWord] = [old[i], now[j]];
    if (word !== undefined && word === newWord) {
      pieces.push({ is: "same", text: word });
      i++;
      j++;
    } else if (word !== undefined && (newWord === undefined || getCommonCount(i + 1, j) >= getCommonCount(i, j + 1))) {
      pieces.push({ is: "removed", text: word });
      i++;
    } else if (newWord !== undefined) {
      pieces.push({ is: "added", text: newWord });
      j++;
    }
  }
  return pieces;
}

/** Merges adjacent words into one piece, removed words before added ones. A space between two changes belongs to both. */
function together(pieces: Piece[]): Piece[] {
  const result: Piece[] = [];
  let [removed, added, space] = ["", "", ""];
  const close = () => {
    if (removed !== "") result.push({ is: "removed", text: removed });
    if (added !== "") result.push({ is: "added", text: added });
    [removed, added] = ["", ""];
  };
  const keep = (text: string) => {
    const last = result.at(-1);
    if (last?.is === "same") last.text += text;
    else if (text !== "") result.push({ is: "same", text });
  };
  for (const { is, text } of pieces) {
    if (text === "") continue;
    const isChanging = removed !== "" || added !== "";
    if (is === "same" && isChanging && space === "" && /^[^\S\n]+$/.test(text)) space = text;
    else if (is === "same") {
      close();
      keep(space + text);
      space = "";
    } else {
      // A space counts as removed and added only if both sides continue after it.
      if (is === "removed") removed += space + text;
      else added += space + text;
      if (space !== "") {
        if (is === "removed") added += space;
        else removed += space;
      }
      space = "";
    }
  }
  close();
  keep(space);
  return result;
}

export interface ListChange {
  added: string[];
  removed: string[];
  /** Whether the unchanged entries are in another order. */
  moved: boolean;
}

/** null: the lists are equal. */
export function listDiff(before: string[], after: string[]): ListChange | null {
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  const [stayed, stay] = [before.filter((id) => after.includes(id)), after.filter((id) => before.includes(id))];
  const moved = stayed.some((id, i) => id !== stay[i]);
  return added.length > 0 || removed.length > 0 || moved ? { added, removed, moved } : null;
}
