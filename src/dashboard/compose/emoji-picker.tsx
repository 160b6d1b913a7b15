// Emoji to insert, by group or by name.
import { useState } from "react";
import { EMOJI_GROUPS, findEmoji } from "./emoji.ts";
import "./emoji-picker.css";

const RECENT = "crier:emoji";
const RECENT_MAX = 16;
const FOUND_MAX = 96;
const FIRST_GROUP = EMOJI_GROUPS[0]?.name ?? "";

const readRecent = (): string[] => (localStorage.getItem(RECENT) ?? "").split(" ").filter((emoji) => emoji !== "");

export function EmojiPicker({ onChoose }: { onChoose(emoji: string): void }) {
  const [typed, setTyped] = useState("");
  const [groupName, setGroup] = useState(FIRST_GROUP);
  const [recent] = useState(readRecent);
  const group = EMOJI_GROUPS.find(({ name }) => name === groupName);
  const shown = typed.trim() === "" ? (group?.emojis ?? []) : findEmoji(typed, FOUND_MAX);
  function choose(emoji: string) {
    try {
      localStorage.setItem(RECENT, [...new Set([emoji, ...recent])].slice(0, RECENT_MAX).join(" "));
    } catch {
      // Without browser storage nothing is remembered.
    }
    onChoose(emoji);
  }
  return (
    <div className="emoji-picker stack tight">
      <input
        type="search"
        aria-label="Search emoji"
        placeholder="Search emoji"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {typed.trim() === "" && (
        <>
          {recent.length > 0 && <EmojiGrid name="Recent" emojis={recent} onChoose={choose} />}
          <fieldset className="emoji-groups" aria-label="Groups of emoji">
            {EMOJI_GROUPS.map(({ name, emojis }) => (
              <button
                key={name}
                type="button"
                className="quiet"
                title={name}
                aria-label={name}
                aria-pressed={name === groupName}
                onClick={() => setGroup(name)}
              >
                {emojis[0]?.emoji}
              </button>
            ))}
          </fieldset>
        </>
      )}
      {shown.length === 0 ? (
        <p className="soft" role="status">
          No results
        </p>
      ) : (
        <EmojiGrid
          name={typed.trim() === "" ? groupName : "Results"}
          emojis={shown.map(({ emoji }) => emoji)}
          names={new Map(shown.map(({ emoji, name }) => [emoji, name]))}
          onChoose={choose}
        />
      )}
    </div>
  );
}

function EmojiGrid({
  name,
  emojis,
  names,
  onChoose,
}: {
  name: string;
  emojis: string[];
  names?: ReadonlyMap<string, string>;
  onChoose(emoji: string): void;
}) {
  return (
    <ul className="emoji-grid" aria-label={name} data-one-line={name === "Recent"}>
      {emojis.map((emoji) => (
        <li key={emoji}>
          <button
            type="button"
            className="quiet"
            title={names?.get(emoji)}
            aria-label={names?.get(emoji)}
            onClick={() => onChoose(emoji)}
          >
            {emoji}
          </button>
        </li>
      ))}
    </ul>
  );
}
