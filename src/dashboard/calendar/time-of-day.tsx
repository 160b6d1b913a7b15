// A time of day in the calendar, as the reader writes it. "AM" and "PM" are small, and only for screen readers where there
// is no room.
import { timeName } from "./days.ts";

/** `time`: `09:30` or `09:30:05`, on the workspace's clock. */
export function TimeOfDay({ time }: { time: string }) {
  const { clock, period } = timeName(time);
  return (
    <time>
      {clock}
      {period !== "" && <span className="day-period"> {period}</span>}
    </time>
  );
}
