// A month as a list of the days that have posts. A long one is drawn part by part, so that the page answers meanwhile.
import { memo, startTransition, useEffect, useState } from "react";
import { Chip } from "./chip.tsx";
import { longDayName, monthOf } from "./days.ts";
import { type Days, type Entry, isSame } from "./entries.ts";

/** More than fill a window. */
const AT_FIRST = 40;
const AT_ONCE = 120;
/** About as high as an entry, and a day's heading. */
const ENTRY_PX = 47;
const HEADING_PX = 56;

export const Agenda = memo(function Agenda({ date, today, days }: { date: string; today: string; days: Days }) {
  const [drawn, setDrawn] = useState(AT_FIRST);
  const all = monthOf(date).flatMap((day) => {
    const entries = days.get(day);
    return entries === undefined ? [] : [{ day, entries }];
  });
  let count = 0;
  const parts = all.flatMap(({ day, entries }) => {
    const some = entries.slice(0, Math.max(0, drawn - count));
    count += entries.length;
    return some.length === 0 ? [] : [{ day, entries: some.length === entries.length ? entries : some }];
  });
  useEffect(() => {
    if (drawn >= count) return;
    const timer = setTimeout(() => startTransition(() => setDrawn(drawn + AT_ONCE)));
    return () => clearTimeout(timer);
  }, [drawn, count]);
  return (
    <div className="agenda">
      {parts.map(({ day, entries }) => (
        <Day key={day} day={day} isToday={day === today} entries={entries} />
      ))}
    </div>
  );
});

const Day = memo(
  function Day({ day, isToday, entries }: { day: string; isToday: boolean; entries: readonly Entry[] }) {
    return (
      <section
        aria-label={longDayName(day)}
        style={{ containIntrinsicBlockSize: `auto ${HEADING_PX + entries.length * ENTRY_PX}px` }}
      >
        <h3 data-today={isToday ? "" : undefined}>
          {longDayName(day)}
          {isToday && <span> · Today</span>}
        </h3>
        <ul>
          {entries.map((entry) => (
            <li key={entry.id}>
              <Chip entry={entry} />
            </li>
          ))}
        </ul>
      </section>
    );
  },
  (before, now) => before.day === now.day && before.isToday === now.isToday && isSame(before.entries, now.entries),
);
