// The time of a post, as people say it. While the field has the focus, it is an ordinary field for date and time.
import { Icon } from "../ui/icons.tsx";
import { useClock } from "../ui/marks.tsx";

const WHEN = "compose-when";

interface WhenFieldProps {
  /** On the workspace's clock, `2026-12-01T09:30`; empty: now. */
  value: string;
  isInvalid: boolean;
  onChange(value: string): void;
}

/** "Tue, Dec 1, 9:30 AM"; the time as typed is formatted as if it were in UTC, so that no zone changes it. */
function formatLocal(value: string): string {
  const date = new Date(`${value}Z`);
  if (Number.isNaN(date.getTime())) return value;
  return new Intl.DateTimeFormat(undefined, {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(date.getUTCFullYear() === new Date().getUTCFullYear() ? {} : { year: "numeric" as const }),
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
  }).format(date);
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
