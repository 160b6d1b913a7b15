// A month by weeks. A day shows a few posts, failed ones first, and a button that leads to the others.
import { memo } from "react";
import { AddButton, Chip, MoreButton } from "./chip.tsx";
import { dayName, isSameMonth, listWeeks, longWeekdayName, weekdayName } from "./days.ts";
import { atMost, type Days, type Entry, isSame, NONE } from "./entries.ts";
import { FreeSlot, type FreeSlots, mergeLines, NO_SLOTS } from "./free-slots.tsx";

const SHOWN_MAX = 4;

/** The entries of these days for which there is room. */
export const listShownEntries = (dates: readonly string[], days: Days): Entry[] =>
  dates.flatMap((day) => atMost(SHOWN_MAX, days.get(day) ?? NONE).shown);

interface MonthProps {
  date: string;
  today: string;
  days: Days;
  free: FreeSlots;
}
export const Month = memo(function Month({ date, today, days, free }: MonthProps) {
  const weeks = listWeeks(date);
  return (
    <table className="month">
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th key={day} scope="col" abbr={longWeekdayName(day)}>
              {weekdayName(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]} data-past={(week.at(-1) ?? "") < today ? "" : undefined}>
            {week.map((day) => (
              <Day
                key={day}
                day={day}
                isToday={day === today}
                isPast={day < today}
                isOutside={!isSameMonth(day, date)}
                entries={days.get(day) ?? NONE}
                free={free.get(day) ?? NO_SLOTS}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
});

interface DayProps {
  day: string;
  isToday: boolean;
  isPast: boolean;
  isOutside: boolean;
  entries: readonly Entry[];
  free: readonly string[];
}
const Day = memo(
  function Day({ day, isToday, isPast, isOutside, entries, free }: DayProps) {
    const { shown, rest } = atMost(SHOWN_MAX, entries);
    const lines = mergeLines(shown, free.slice(0, SHOWN_MAX - shown.length));
    return (
      <td data-date={day} data-outside={isOutside ? "" : undefined} data-past={isPast ? "" : undefined}>
        <time dateTime={day} className="day-number" aria-current={isToday ? "date" : undefined}>
          <span className="visually-hidden">{dayName(day)}</span>
          <span aria-hidden="true">{Number(day.slice(8))}</span>
        </time>
        {!isPast && <AddButton day={day} />}
        {lines.length > 0 && (
          <ul>
            {lines.map(({ time, entry }) => (
              <li key={entry?.id ?? time}>
                {entry === null ? <FreeSlot at={`${day}T${time}`} /> : <Chip entry={entry} />}
              </li>
            ))}
          </ul>
        )}
        {rest.length > 0 && <MoreButton day={day} rest={rest} />}
      </td>
    );
  },
  (before, now) =>
    before.day === now.day &&
    before.isToday === now.isToday &&
    before.isPast === now.isPast &&
    before.isOutside === now.isOutside &&
    before.free === now.free &&
    isSame(before.entries, now.entries),
);
