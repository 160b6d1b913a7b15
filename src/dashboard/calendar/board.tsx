// The days of the open view. It handles presses and drags for all posts; a single post has no listeners.
import { useEffect, useEffectEvent, useRef } from "react";
import { Agenda } from "./agenda.tsx";
import { letDrag, type Place, type Point } from "./dragging.ts";
import type { Days, Entry } from "./entries.ts";
import { useKeptFocus } from "./focus.ts";
import type { FreeSlots } from "./free-slots.tsx";
import { Month } from "./month.tsx";
import { timeAfter, timeIn } from "./places.ts";
import type { View } from "./toolbar.tsx";
import { Week } from "./week.tsx";

interface BoardProps {
  view: View;
  date: string;
  /** The workspace's local time, to the minute. */
  now: string;
  days: Days;
  free: FreeSlots;
  entries: ReadonlyMap<string, Entry>;
  /** Whether a dialog is open over it. */
  covered: boolean;
  onOpen(entry: Entry): void;
  onMore(day: string): void;
  /** A local time without a post. */
  onFree(localTime: string): void;
  onMove(entry: Entry, to: string, point: Point): void;
}

export function Board({ view, date, now, days, free, entries, covered, onOpen, onMore, onFree, onMove }: BoardProps) {
  const root = useRef<HTMLDivElement>(null);
  useKeptFocus(root, days, covered, (id) => entries.get(id)?.day);

  // In a month, a drag changes the day and keeps the time. In a week, the vertical position sets the time.
  const getDropTime = (entry: Entry, { shift }: Place) => (view === "week" ? timeAfter(shift, entry.time) : entry.time);
  const timeAt = useEffectEvent((id: string, place: Place) => {
    const entry = entries.get(id);
    return entry === undefined ? null : getDropTime(entry, place).slice(0, 5);
  });
  const drop = useEffectEvent((id: string, place: Place) => {
    const entry = entries.get(id);
    if (entry === undefined) return;
    const time = getDropTime(entry, place);
    if (place.date !== entry.day || time !== entry.time) onMove(entry, `${place.date}T${time}`, place.point);
  });
  const press = useEffectEvent(({ target, clientY }: MouseEvent) => {
    if (!(target instanceof Element) || target.closest("a") !== null) return;
    const { id, more } = target.closest<HTMLElement>("[data-id], [data-more]")?.dataset ?? {};
    const entry = entries.get(id ?? "");
    if (entry !== undefined) return onOpen(entry);
    if (more !== undefined) return onMore(more);
    const day = target.closest<HTMLElement>("[data-hours]");
    if (day?.dataset.date === undefined) return;
    const { top, height } = day.getBoundingClientRect();
    onFree(`${day.dataset.date}T${timeIn((clientY - top) / height).slice(0, 5)}`);
  });
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const pressed = (event: MouseEvent) => press(event);
    element.addEventListener("click", pressed);
    const noDrags = letDrag(element, {
      drop: (id, place) => drop(id, place),
      timeAt: (id, place) => timeAt(id, place),
    });
    return () => {
      element.removeEventListener("click", pressed);
      noDrags();
    };
  }, []);

  const today = now.slice(0, 10);
  return (
    <div ref={root} className="board">
      {view === "month" && <Month date={date} today={today} days={days} free={free} />}
      {view === "week" && <Week date={date} now={now} days={days} free={free} />}
      {view === "agenda" && <Agenda key={date.slice(0, 7)} date={date} today={today} days={days} free={free} />}
    </div>
  );
}
