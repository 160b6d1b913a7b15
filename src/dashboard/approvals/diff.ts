// Differences between two texts or two lists, for a person to read.
import { diffArrays } from "diff/lib/diff/array.js";

export interface Piece {
  is: "same" | "removed" | "added";
  text: string;
}

const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
/** With more changed words than this the whole text counts as changed. Comparing takes at most about 50 ms. */
const EDITS_MAX = 500;

/**
 * The pieces of two texts, word by word: the same and removed pieces form `before`, the same and added pieces form `after`.
 * Words are split by the rules of the language, even without spaces; an emoji is never cut.
 */
export function wordDiff(before: string, after: string): Piece[] {
  const changes = diffArrays(wordsIn(before), wordsIn(after), { maxEditLength: EDITS_MAX }) ?? [
    { removed: true, added: false, value: [before] },
    { removed: false, added: true, value: [after] },
  ];
  return together(
    changes.map(({ added, removed, value }) => ({
      is: added ? "added" : removed ? "removed" : "same",
      text: value.join(""),
    })),
  );
}

const wordsIn = (text: string) => Array.from(WORDS.segment(text), ({ segment }) => segment);

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
