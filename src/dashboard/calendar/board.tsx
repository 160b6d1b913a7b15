// The days of the open view. It handles presses and drags for all posts; a single post has no listeners.
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { Agenda } from "./agenda.tsx";
import { findNextStop } from "./arrow-keys.ts";
import { formatTime, listWeekDays } from "./days.ts";
import { letDrag, type Place, type Point } from "./dragging.ts";
import type { Days, Entry } from "./entries.ts";
import { useKeptFocus } from "./focus.ts";
import type { FreeSlots } from "./free-slots.tsx";
import { Month } from "./month.tsx";
import { timeAfter, timeIn } from "./places.ts";
import type { Selection } from "./selection.ts";
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
  /** Whether a press selects a post. */
  isSelecting: boolean;
  selection: Selection;
  onOpen(entry: Entry): void;
  onMore(day: string): void;
  /** A local time without a post. */
  onFree(localTime: string): void;
  onMove(entry: Entry, to: string, point: Point): void;
}

export function Board(props: BoardProps) {
  const { view, date, now, days, free, entries, covered, isSelecting, selection } = props;
  const { onOpen, onMore, onFree, onMove } = props;
  const root = useRef<HTMLDivElement>(null);
  const today = now.slice(0, 10);
  useKeptFocus(root, days, covered, (id) => entries.get(id)?.day);

  // The same array while the days are the same, so that they are not rendered again.
  const dates = useMemo(() => (view === "day" ? [date] : listWeekDays(date)), [view, date]);
  // In a month, a drag changes the day and keeps the time. In a week, the vertical position sets the time.
  const getDropTime = (entry: Entry, { shift }: Place) => (hasHours(view) ? timeAfter(shift, entry.time) : entry.time);
  const timeAt = useEffectEvent((id: string, place: Place) => {
    const entry = entries.get(id);
    return entry === undefined ? null : formatTime(getDropTime(entry, place));
  });
  const drop = useEffectEvent((id: string, place: Place) => {
    const entry = entries.get(id);
    if (entry === undefined) return;
    const time = getDropTime(entry, place);
    if (place.date !== entry.day || time !== entry.time) onMove(entry, `${place.date}T${time}`, place.point);
  });
  /** The posts in the order of time, as a range of them is selected. */
  const listInOrder = () => [...days.keys()].sort().flatMap((day) => days.get(day) ?? []);
  const press = useEffectEvent((event: MouseEvent) => {
    const { target, clientY } = event;
    if (!(target instanceof Element) || target.closest("a") !== null) return;
    const { id, more } = target.closest<HTMLElement>("[data-id], [data-more]")?.dataset ?? {};
    const entry = entries.get(id ?? "");
    if (entry !== undefined) {
      if (event.shiftKey) return selection.extend(entry.id, listInOrder());
      if (event.ctrlKey || event.metaKey || isSelecting) return selection.toggle(entry.id);
      return onOpen(entry);
    }
    if (more !== undefined) return onMore(more);
    const day = target.closest<HTMLElement>("[data-date]");
    const dayDate = day?.dataset.date;
    if (day === null || dayDate === undefined || dayDate < today) return;
    // A press beside the selected posts leaves them, as everywhere.
    if (selection.ids.size > 0) return selection.set(new Set());
    if (day.dataset.hours === undefined || target.closest("[data-add]") !== null)
      return onFree(findFreeTime(dayDate, now, free));
    const { top, height } = day.getBoundingClientRect();
    onFree(`${dayDate}T${timeIn((clientY - top) / height).slice(0, 5)}`);
  });
  const pressKey = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
    const { id } = target.dataset;
    if (key.toLowerCase() === "s" && id !== undefined && entries.has(id)) return selection.toggle(id);
    const stop = root.current === null ? undefined : findNextStop(root.current, key, view === "month");
    if (stop === undefined) return;
    event.preventDefault();
    stop.focus();
    if (event.shiftKey && stop.dataset.id !== undefined) selection.extend(stop.dataset.id, listInOrder());
  });
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const keyed = (event: KeyboardEvent) => pressKey(event);
    const pressed = (event: MouseEvent) => press(event);
    element.addEventListener("click", pressed);
    element.addEventListener("keydown", keyed);
    const noDrags = letDrag(element, {
      drop: (id, place) => drop(id, place),
      timeAt: (id, place) => timeAt(id, place),
    });
    return () => {
      element.removeEventListener("click", pressed);
      element.removeEventListener("keydown", keyed);
      noDrags();
    };
  }, []);

  return (
    <div ref={root} className="board" data-selecting={isSelecting ? "" : undefined}>
      {view === "month" && <Month date={date} today={today} days={days} free={free} />}
      {hasHours(view) && <Week dates={dates} now={now} days={days} free={free} />}
      {view === "agenda" && <Agenda key={date.slice(0, 7)} date={date} today={today} days={days} free={free} />}
    </div>
  );
}

const hasHours = (view: View) => view === "week" || view === "day";

const USUAL_TIME = "09:00";
/** The time for a new post on a day: its first free slot, or nine, or the next full hour if that has passed. */
function findFreeTime(day: string, now: string, free: FreeSlots): string {
  const slot = free.get(day)?.find((localTime) => localTime > now);
  if (slot !== undefined) return slot;
  const usual = `${day}T${USUAL_TIME}`;
  if (usual > now) return usual;
  const hour = Math.min(Number(now.slice(11, 13)) + 1, 23);
  return `${day}T${String(hour).padStart(2, "0")}:${hour === 23 ? "55" : "00"}`;
}
