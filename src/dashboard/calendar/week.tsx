// A week by hours.
import { memo, useState } from "react";
import { Chip, MoreButton } from "./chip.tsx";
import { listWeekDays, numberName, weekdayName } from "./days.ts";
import { type Days, type Entry, isSame, NONE } from "./entries.ts";
import { FreeSlot, type FreeSlots, NO_SLOTS } from "./free-slots.tsx";
import { computeTop, DAY_MINUTES, place, toMinute } from "./places.ts";

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
/** More entries side by side would be unreadable; a narrow page shows one. */
const BESIDE_MAX = 2;
const NARROW = "(width < 64rem)";
const share = (fraction: number) => `${fraction * 100}%`;

interface WeekProps {
  date: string;
  now: string;
  days: Days;
  free: FreeSlots;
}
export const Week = memo(function Week({ date, now, days, free }: WeekProps) {
  const week = listWeekDays(date);
  const [today = "", time = ""] = now.split("T");
  const [beside] = useState(() => (matchMedia(NARROW).matches ? 1 : BESIDE_MAX));
  return (
    <div className="week">
      <div className="hours" aria-hidden="true">
        {HOURS.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      {week.map((day) => (
        <section key={day}>
          <h3 data-today={day === today ? "" : undefined}>
            {weekdayName(day)} <span>{numberName(day)}</span>
          </h3>
          <Day
            day={day}
            nowAt={day === today ? toMinute(time) : null}
            isPast={day < today}
            beside={beside}
            entries={days.get(day) ?? NONE}
            free={free.get(day) ?? NO_SLOTS}
          />
        </section>
      ))}
    </div>
  );
});

interface DayProps {
  day: string;
  /** The current minute of the day if this day is today. */
  nowAt: number | null;
  isPast: boolean;
  beside: number;
  entries: readonly Entry[];
  free: readonly string[];
}
const Day = memo(
  function Day({ day, nowAt, isPast, beside, entries, free }: DayProps) {
    const { placed, more } = place(entries, beside);
    return (
      <div
        className="day"
        data-date={day}
        data-hours=""
        data-today={nowAt === null ? undefined : ""}
        data-past={isPast ? "" : undefined}
      >
        {nowAt !== null && <div className="now" style={{ top: share(nowAt / DAY_MINUTES) }} />}
        {placed.length + more.length + free.length > 0 && (
          <ul>
            {free.map((slotTime) => (
              <li
                key={slotTime}
                style={{ top: share(computeTop(toMinute(slotTime.slice(11))) / DAY_MINUTES), left: 0, width: share(1) }}
              >
                <FreeSlot at={slotTime} />
              </li>
            ))}
            {placed.map(({ entry, top, left, width }) => (
              <li key={entry.id} style={{ top: share(top), left: share(left), width: share(width) }}>
                <Chip entry={entry} />
              </li>
            ))}
            {more.map(({ rest, top, left, width }) => (
              <li key={`more ${top}`} style={{ top: share(top), left: share(left), width: share(width) }}>
                <MoreButton day={day} rest={rest} />
              </li>
            ))}
          </ul>
        )}
      </div>
    );
  },
  (before, now) =>
    before.day === now.day &&
    before.nowAt === now.nowAt &&
    before.isPast === now.isPast &&
    before.free === now.free &&
    isSame(before.entries, now.entries),
);
