// The time of a post, as people say it. While the field has the focus, it is an ordinary field for date and time.
import { Icon } from "../ui/icons.tsx";
import { useClock } from "../ui/marks.tsx";
import { formatLocal } from "../words/dates.ts";

const WHEN = "compose-when";

interface WhenFieldProps {
  /** On the workspace's clock, `2026-12-01T09:30`; empty: now. */
  value: string;
  isInvalid: boolean;
  onChange(value: string): void;
}

export function WhenField({ value, isInvalid, onChange }: WhenFieldProps) {
  const clock = useClock();
  return (
    <div className="when" data-empty={value === ""} data-invalid={isInvalid}>
      <span className="when-words" aria-hidden="true">
        <Icon name="calendar" />
        <span>{value === "" ? "Pick a time" : formatLocal(value)}</span> <small>{clock.zone}</small>
      </span>
      <label htmlFor={WHEN} className="visually-hidden">
        When
      </label>
      <input
        id={WHEN}
        type="datetime-local"
        value={value}
        aria-invalid={isInvalid}
        aria-describedby={`${WHEN}-zone`}
        onChange={({ target }) => onChange(target.value)}
        onClick={({ currentTarget }) => openPicker(currentTarget)}
      />
      <span id={`${WHEN}-zone`} className="visually-hidden">
        {clock.zone} time. Leave empty to post now.
      </span>
    </div>
  );
}

function openPicker(field: HTMLInputElement): void {
  try {
    field.showPicker();
  } catch {
    // Some browsers allow it only after a press, or have none; the field can still be typed in.
  }
}

/** Moves the focus to the time, and opens its calendar. */
export function pickTime(): void {
  const field = document.getElementById(WHEN);
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  openPicker(field);
}
