// A growing text field that marks the part of its text that is too long.
import { type RefObject, useDeferredValue } from "react";
import { MentionList, toOptionId } from "./mention-list.tsx";
import { type MentionSource, useMentions } from "./use-mentions.ts";
import "./text-box.css";

interface TextBoxProps {
  id: string;
  /** Its accessible name. */
  label: string;
  value: string;
  placeholder?: string;
  /** The index at which the text becomes too long; null: it fits. */
  cut: number | null;
  isInvalid: boolean;
  rows?: number;
  field?: RefObject<HTMLTextAreaElement | null>;
  /** Where to look up accounts to mention; null: this text has no look-up. */
  mentionSource?: MentionSource | null;
  onChange(text: string): void;
  onFiles(files: FileList): void;
}

export function TextBox(props: TextBoxProps) {
  const { id, label, value, placeholder, cut, isInvalid, rows = 5, field, onChange, onFiles } = props;
  const { mentionSource = null } = props;
  const mentions = useMentions(mentionSource, { text: value, fieldId: id, onChange });
  const listId = `${id}-mentions`;
  const hasOptions = mentions.isOpen && mentions.options.length > 0;
  return (
    <div className="text-box">
      {cut !== null && <Overflow text={value} cut={cut} />}
      <textarea
        ref={field}
        id={id}
        dir="auto"
        aria-label={label}
        rows={rows}
        placeholder={placeholder}
        value={value}
        aria-invalid={isInvalid}
        aria-autocomplete={mentionSource === null ? undefined : "list"}
        aria-controls={hasOptions ? listId : undefined}
        aria-activedescendant={hasOptions ? toOptionId(listId, mentions.marked) : undefined}
        onSelect={mentions.onSelect}
        onKeyDown={mentions.onKeyDown}
        onBlur={mentions.onBlur}
        onChange={({ target }) => onChange(target.value)}
        onPaste={({ clipboardData }) => {
          if (clipboardData.files.length > 0) onFiles(clipboardData.files);
        }}
      />
      {mentions.isOpen && mentionSource !== null && (
        <MentionList id={listId} network={mentionSource.network} mentions={mentions} />
      )}
    </div>
  );
}

/** The same text behind the field, with a ground behind the part that is too long. */
function Overflow({ text, cut }: { text: string; cut: number }) {
  const shown = useDeferredValue(text);
  return (
    <div className="overflow" dir="auto" aria-hidden="true">
      {shown.slice(0, cut)}
      <mark>{shown.slice(cut)}</mark>{" "}
    </div>
  );
}

/** Puts a text at the cursor of a field, in place of what is selected. */
export function insertAtCursor(
  field: HTMLTextAreaElement | null,
  value: string,
  text: string,
  onChange: (text: string) => void,
): void {
  const start = field?.selectionStart ?? value.length;
  const end = field?.selectionEnd ?? value.length;
  onChange(value.slice(0, start) + text + value.slice(end));
  requestAnimationFrame(() => {
    field?.focus();
    field?.setSelectionRange(start + text.length, start + text.length);
  });
}
