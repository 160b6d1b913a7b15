// The weekly slots as a week: a press on an empty place adds one, dragging moves it, and a press on a slot opens it.
import "../calendar/calendar.css";
import "../calendar/calendar-views.css";
import "./slots.css";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { letDrag, type Place } from "../calendar/dragging.ts";
import { timeAfter, timeIn } from "../calendar/places.ts";
import { useAct } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel } from "../types.ts";
import { ChannelAvatars } from "../ui/channel.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { AddSlots } from "./add-slots.tsx";
import { SlotDialog } from "./slot-dialog.tsx";
import { DAYS, describeSlot, getKey, placeSlots, type Slot, withChange, withSlots } from "./weekly.ts";

const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
/** The hour at the top, unless a slot is earlier. */
const FIRST_HOUR = 7;
const share = (fraction: number) => `${fraction * 100}%`;

export function WeeklySlots({ slots: stored, channels }: { slots: Slot[]; channels: Channel[] }) {
  const { whyNot } = useSession();
  const say = useSay();
  const reason = whyNot("manage_slots");
  const [opened, setOpened] = useState<string | null>(null);
  const set = useAct(
    async (client, next: Slot[]) => client.call("slots.set", { body: { slots: next } }),
    ["slots", "posts", "dry-run"],
  );
  // Shown at once; a refusal brings the stored slots back.
  const slots = set.isPending ? set.variables : stored;
  const openSlot = slots.find((slot) => getKey(slot) === opened);
  const change = (next: Slot[], done: string) => {
    const before = slots;
    set.mutate(next, { onSuccess: () => say(done, () => set.mutate(before)) });
  };
  const add = (more: Slot[]) => {
    const [slot] = more;
    if (slot === undefined) return;
    change(
      withSlots(slots, more),
      more.length === 1 ? `${describeSlot(slot)} added` : `${more.length} slots added at ${slot.time}`,
    );
  };
  return (
    <section className="card" aria-label="Weekly slots">
      <div>
        <h2>Weekly slots</h2>
        <p className="soft">
          Press an empty time to add a slot, drag one to move it. Scheduled posts keep their times.
        </p>
      </div>
      {reason !== null && <p className="note">{reason}</p>}
      <Refused error={set.error} />
      <AddSlots channels={channels} isOff={reason !== null} isBusy={set.isPending} onAdd={add} />
      <Grid
        slots={slots}
        isOff={reason !== null}
        onAdd={(weekday, time) => add([{ weekday, time, channels: null }])}
        onOpen={setOpened}
        onMove={(slot, next) => change(withChange(slots, slot, next), `Moved to ${describeSlot(next)}`)}
      />
      {openSlot !== undefined && (
        <SlotDialog
          key={opened}
          slot={openSlot}
          channels={channels}
          why={reason}
          onClose={() => setOpened(null)}
          onSave={(next) => change(withChange(slots, openSlot, next), `Moved to ${describeSlot(next)}`)}
          onRemove={() =>
            change(
              slots.filter((slot) => slot !== openSlot),
              "Slot removed",
            )
          }
        />
      )}
    </section>
  );
}

interface GridProps {
  slots: Slot[];
  isOff: boolean;
  onAdd(weekday: number, time: string): void;
  onOpen(key: string): void;
  onMove(slot: Slot, next: Slot): void;
}

function Grid({ slots, isOff, onAdd, onOpen, onMove }: GridProps) {
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const find = (key: string) => slots.find((slot) => getKey(slot) === key);
  const getDropTime = ({ time }: Slot, { shift }: Place) => timeAfter(shift, `${time}:00`).slice(0, 5);
  const timeAt = useEffectEvent((key: string, place: Place) => {
    const slot = find(key);
    return slot === undefined ? null : getDropTime(slot, place);
  });
  const drop = useEffectEvent((key: string, place: Place) => {
    const slot = find(key);
    if (slot === undefined) return;
    const next = { ...slot, weekday: Number(place.date), time: getDropTime(slot, place) };
    if (getKey(next) !== key) onMove(slot, next);
  });
  const press = useEffectEvent(({ target, clientY }: MouseEvent) => {
    if (!(target instanceof Element)) return;
    const key = target.closest<HTMLElement>("[data-id]")?.dataset.id;
    if (key !== undefined) return onOpen(key);
    const day = target.closest<HTMLElement>("[data-date]");
    if (isOff || day === null) return;
    const { top, height } = day.getBoundingClientRect();
    onAdd(Number(day.dataset.date), timeIn((clientY - top) / height).slice(0, 5));
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
  const [firstHour] = useState(() => Math.min(FIRST_HOUR, ...slots.map(({ time }) => Number(time.slice(0, 2)))));
  useLayoutEffect(() => {
    const element = scroller.current;
    const hours = element?.querySelector(".hours")?.children;
    const [begin, target] = [hours?.[0], hours?.[firstHour]];
    if (element === null || !(begin instanceof HTMLElement) || !(target instanceof HTMLElement)) return;
    element.scrollTop = target.offsetTop - begin.offsetTop;
  }, [firstHour]);
  return (
    <div ref={root} className="board slots-board">
      {/* An empty part that scrolls must be reachable with the keyboard. */}
      <div ref={scroller} className="week" data-scrolls="" tabIndex={slots.length === 0 ? 0 : undefined}>
        <div className="hours" aria-hidden="true">
          {HOURS.map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </div>
        {DAYS.map((name, i) => (
          <section key={name} aria-label={name}>
            <h3>
              {name.slice(0, 3)}
              <span className="visually-hidden">{name.slice(3)}</span>
            </h3>
            <div className="day" data-date={i + 1}>
              <ul>
                {placeSlots(slots.filter(({ weekday }) => weekday === i + 1)).map(({ slot, top, left, width }) => (
                  <li key={getKey(slot)} style={{ top: share(top), left: share(left), width: share(width) }}>
                    <SlotChip slot={slot} isOff={isOff} />
                  </li>
                ))}
              </ul>
            </div>
          </section>
        ))}
      </div>
    </div>
  );
}

const SlotChip = ({ slot, isOff }: { slot: Slot; isOff: boolean }) => (
  <button type="button" className="event slot" data-id={getKey(slot)} data-movable={isOff ? undefined : ""}>
    <span className="visually-hidden">{describeSlot(slot)}</span>
    <time aria-hidden="true">{slot.time}</time>
    {slot.channels === null ? (
      <span className="event-words">All channels</span>
    ) : (
      <ChannelAvatars of={slot.channels.map((channel) => ({ channel, platform: "" }))} />
    )}
  </button>
);
