// Adds slots at one time: on the weekdays, every day, or one day.
import { useState } from "react";
import type { Channel } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { channelName } from "../ui/channel.tsx";
import { DAYS, EVERY_DAY, type Slot, WEEKDAYS } from "./weekly.ts";

/** The proposed times: after the first one has been added, the next one. */
const TIMES: readonly string[] = ["09:00", "17:00", "12:00"];

interface AddSlotsProps {
  channels: Channel[];
  isOff: boolean;
  isBusy: boolean;
  onAdd(slots: Slot[]): void;
}

export function AddSlots({ channels, isOff, isBusy, onAdd }: AddSlotsProps) {
  const [time, setTime] = useState("09:00");
  const [weekday, setWeekday] = useState(1);
  const [channel, setChannel] = useState("");
  const add = (weekdays: readonly number[]) => {
    onAdd(weekdays.map((day) => ({ weekday: day, time, channels: channel === "" ? null : [channel] })));
    const position = TIMES.indexOf(time);
    const next = TIMES[position + 1];
    if (position !== -1 && next !== undefined) setTime(next);
  };
  return (
    <form
      className="add-slots"
      onSubmit={(event) => {
        event.preventDefault();
        add([weekday]);
      }}
    >
      <label className="field">
        <span>Time</span>
        <input type="time" required value={time} onChange={({ target }) => setTime(target.value.slice(0, 5))} />
      </label>
      <label className="field">
        <span>Channel</span>
        <select value={channel} onChange={({ target }) => setChannel(target.value)}>
          <option value="">All channels</option>
          {channels.map((option) => (
            <option key={option.id} value={option.id}>
              {channelName(option)}
            </option>
          ))}
        </select>
      </label>
      <Button variant="primary" disabled={isOff || isBusy || time === ""} onClick={() => add(WEEKDAYS)}>
        Weekdays
      </Button>
      <Button disabled={isOff || isBusy || time === ""} onClick={() => add(EVERY_DAY)}>
        Every day
      </Button>
      <label className="field">
        <span>Day</span>
        <select value={weekday} onChange={({ target }) => setWeekday(Number(target.value))}>
          {DAYS.map((day, i) => (
            <option key={day} value={i + 1}>
              {day}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" disabled={isOff || isBusy}>
        Add slot
      </Button>
    </form>
  );
}
