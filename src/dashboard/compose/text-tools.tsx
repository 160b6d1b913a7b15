// The tools below a text: emoji, saved texts, and the split into a thread.
import { lazy, Suspense } from "react";
import { Icon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { Loading } from "../ui/states.tsx";
import { Snippets } from "./snippets.tsx";

const EmojiPicker = lazy(async () => ({ default: (await import("./emoji-picker.tsx")).EmojiPicker }));

interface TextToolsProps {
  /** The text that can be saved to be used again. */
  text: string;
  onInsert(text: string): void;
  /** null: none of the chosen networks has threads. */
  onSplit: (() => void) | null;
  onAddPart: (() => void) | null;
}

export function TextTools({ text, onInsert, onSplit, onAddPart }: TextToolsProps) {
  return (
    <div className="text-tools">
      <Popover label="Emoji" button={<Icon name="smile" />} className="quiet icon-button">
        {(close) => (
          <Suspense fallback={<Loading what="The emoji list" />}>
            <EmojiPicker
              onChoose={(emoji) => {
                close();
                onInsert(emoji);
              }}
            />
          </Suspense>
        )}
      </Popover>
      <Snippets text={text} onInsert={onInsert} />
      {onSplit !== null && (
        <button
          type="button"
          className="quiet small"
          title="Divides the text into a thread: where it is too long, at the cursor, or between paragraphs"
          onClick={onSplit}
        >
          <Icon name="split" />
          Split
        </button>
      )}
      {onAddPart !== null && (
        <button type="button" className="quiet small" onClick={onAddPart}>
          <Icon name="plus" />
          Add part
        </button>
      )}
    </div>
  );
}
