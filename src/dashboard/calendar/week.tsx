// A week, or a single day, by hours.
import { memo, useLayoutEffect, useRef, useState } from "react";
import { Chip, MoreButton } from "./chip.tsx";
import { numberName, weekdayName } from "./days.ts";
import { type Days, type Entry, isSame, NONE } from "./entries.ts";
import { FreeSlot, type FreeSlots, NO_SLOTS } from "./free-slots.tsx";
import { computeTop, DAY_MINUTES, place, toMinute } from "./places.ts";
import { TimeOfDay } from "./time-of-day.tsx";

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
/** More entries side by side would be unreadable; a narrow page shows one. */
const BESIDE_MAX = 2;
/** A single day has room for more. */
const BESIDE_DAY_MAX = 6;
const NARROW = "(width < 64rem)";
/** The hour at the top, unless a post is earlier. */
const FIRST_HOUR = 7;
const share = (fraction: number) => `${fraction * 100}%`;

interface WeekProps {
  /** Seven days, or one. */
  dates: readonly string[];
  now: string;
  days: Days;
  free: FreeSlots;
}
export const Week = memo(function Week({ dates, now, days, free }: WeekProps) {
  const [today = "", time = ""] = now.split("T");
  const [isNarrow] = useState(() => matchMedia(NARROW).matches);
  const isDay = dates.length === 1;
  const beside = isDay ? BESIDE_DAY_MAX : isNarrow ? 1 : BESIDE_MAX;
  const scroller = useOpening(dates, days);
  const isEmpty = dates.every((day) => (days.get(day) ?? NONE).length + (free.get(day) ?? NO_SLOTS).length === 0);
  return (
    <div
      ref={scroller}
      className="week"
      data-scrolls=""
      data-single={isDay ? "" : undefined}
      // An empty part that scrolls must be reachable with the keyboard.
      tabIndex={isEmpty ? 0 : undefined}
    >
      <div className="hours" aria-hidden="true">
        {HOURS.map((hour) => (
          <TimeOfDay key={hour} time={hour} />
        ))}
      </div>
      {dates.map((day) => (
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

/** Opens the days at the first post or at seven, and leaves the position to the user from then on. */
function useOpening(dates: readonly string[], days: Days) {
  const scroller = useRef<HTMLDivElement>(null);
  const opened = useRef({ first: "", top: -1 });
  const [first = ""] = dates;
  const minutes = dates.flatMap((day) => (days.get(day) ?? NONE).slice(0, 1).map(({ time }) => toMinute(time)));
  const hour = Math.min(FIRST_HOUR, ...minutes.map((minute) => Math.floor(minute / 60)));
  useLayoutEffect(() => {
    const element = scroller.current;
    const hours = element?.querySelector(".hours")?.children;
    if (element === null || hours === undefined) return;
    const last = opened.current;
    if (last.first === first && Math.abs(element.scrollTop - last.top) > 1) return;
    const target = hours[hour];
    const [begin] = hours;
    if (!(target instanceof HTMLElement) || !(begin instanceof HTMLElement)) return;
    element.scrollTop = target.offsetTop - begin.offsetTop;
    opened.current = { first, top: element.scrollTop };
  }, [first, hour]);
  return scroller;
}

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
        {nowAt !== null && (
          <>
            <div className="past-hours" style={{ height: share(nowAt / DAY_MINUTES) }} />
            <div className="now" style={{ top: share(nowAt / DAY_MINUTES) }} />
          </>
        )}
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
