// A month as a list of the days that have posts or free slots. A long list is rendered in parts, so that the page stays
// responsive.
import { memo, startTransition, useEffect, useState } from "react";
import { Icon } from "../ui/icons.tsx";
import { formatNumber } from "../words/counts.ts";
import { Chip } from "./chip.tsx";
import { listMonthDays, longDayName } from "./days.ts";
import { type Days, type Entry, isSame, NONE } from "./entries.ts";
import { FreeSlot, type FreeSlots, mergeLines, NO_SLOTS } from "./free-slots.tsx";

/** More than fit into a window. */
const AT_FIRST = 40;
const AT_ONCE = 120;
/** The approximate height of an entry, and of a day's heading. */
const ENTRY_PX = 47;
const HEADING_PX = 56;

interface AgendaProps {
  date: string;
  today: string;
  days: Days;
  free: FreeSlots;
}
export const Agenda = memo(function Agenda({ date, today, days, free: slots }: AgendaProps) {
  const [drawn, setDrawn] = useState(AT_FIRST);
  const [showsEarlier, setShowsEarlier] = useState(false);
  const monthDays = listMonthDays(date);
  // The current month begins with today.
  const isCurrent = monthDays.includes(today);
  const earlier = isCurrent && !showsEarlier ? monthDays.filter((day) => day < today) : [];
  const earlierCount = earlier.reduce((sum, day) => sum + (days.get(day) ?? NONE).length, 0);
  const agendaDays = monthDays.slice(earlier.length).flatMap((day) => {
    const [entries, free] = [days.get(day) ?? NONE, slots.get(day) ?? NO_SLOTS];
    return entries.length + free.length === 0 ? [] : [{ day, entries, free }];
  });
  let count = 0;
  const parts = agendaDays.flatMap(({ day, entries, free }) => {
    const some = entries.slice(0, Math.max(0, drawn - count));
    const isOver = drawn <= count;
    count += entries.length;
    return isOver ? [] : [{ day, free, entries: some.length === entries.length ? entries : some }];
  });
  useEffect(() => {
    if (drawn >= count) return;
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + AT_ONCE)));
    return () => clearTimeout(timer);
  }, [drawn, count]);
  return (
    <div className="agenda">
      {earlierCount > 0 && (
        <button type="button" className="quiet earlier" onClick={() => setShowsEarlier(true)}>
          <Icon name="up" />
          {earlierCount === 1 ? "1 earlier post" : `${formatNumber(earlierCount)} earlier posts`}
        </button>
      )}
      {parts.map(({ day, entries, free }) => (
        <Day key={day} day={day} isToday={day === today} entries={entries} free={free} />
      ))}
    </div>
  );
});

interface DayProps {
  day: string;
  isToday: boolean;
  entries: readonly Entry[];
  free: readonly string[];
}
const Day = memo(
  function Day({ day, isToday, entries, free }: DayProps) {
    const lines = mergeLines(entries, free);
    return (
      <section
        aria-label={longDayName(day)}
        data-day={day}
        style={{ containIntrinsicBlockSize: `auto ${HEADING_PX + lines.length * ENTRY_PX}px` }}
      >
        <h3 data-today={isToday ? "" : undefined}>
          {longDayName(day)}
          {isToday && <span> · Today</span>}
        </h3>
        <ul>
          {lines.map(({ time, entry }) => (
            <li key={entry?.id ?? time}>
              {entry === null ? <FreeSlot at={`${day}T${time}`} /> : <Chip entry={entry} />}
            </li>
          ))}
        </ul>
      </section>
    );
  },
  (before, now) =>
    before.day === now.day &&
    before.isToday === now.isToday &&
    before.free === now.free &&
    isSame(before.entries, now.entries),
);
