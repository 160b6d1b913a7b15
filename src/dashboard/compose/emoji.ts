// The emoji list, from Unicode's data. Its file is loaded when the picker opens.
import groups from "unicode-emoji-json/data-by-group.json";

interface Emoji {
  emoji: string;
  name: string;
}
export interface EmojiGroup {
  name: string;
  emojis: Emoji[];
}

export const EMOJI_GROUPS: readonly EmojiGroup[] = groups;

/** The emoji whose names contain every typed word, at most `count`. */
export function findEmoji(typed: string, count: number): Emoji[] {
  const terms = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== "");
  const found: Emoji[] = [];
  for (const { emojis } of EMOJI_GROUPS) {
    for (const entry of emojis) {
      if (found.length < count && terms.every((term) => entry.name.includes(term))) found.push(entry);
    }
  }
  return found;
}
