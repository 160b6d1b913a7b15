// The weekly slots as a list.
import { describe, expect, it } from "vitest";
import { placeSlots, type Slot, WEEKDAYS, withChange, withSlots } from "../../../src/dashboard/slots/weekly.ts";

const slot = (weekday: number, time: string, channels: string[] | null = null): Slot => ({ weekday, time, channels });

describe("adding weekly slots", () => {
  it("adds the weekdays at a time, and keeps a slot that is already there once", () => {
    const weekdays = WEEKDAYS.map((weekday) => slot(weekday, "09:00"));
    expect(withSlots([slot(2, "09:00"), slot(6, "10:00")], weekdays)).toHaveLength(6);
  });

  it("treats the same channels in another order as the same slot", () => {
    expect(withSlots([slot(1, "09:00", ["a", "b"])], [slot(1, "09:00", ["b", "a"])])).toHaveLength(1);
  });
});

describe("changing a weekly slot", () => {
  it("replaces it, and leaves one slot if it becomes equal to another one", () => {
    const [first, second] = [slot(1, "09:00"), slot(2, "09:00")];
    expect(withChange([first, second], first, slot(1, "11:30"))).toEqual([second, slot(1, "11:30")]);
    expect(withChange([first, second], first, slot(2, "09:00"))).toEqual([slot(2, "09:00")]);
  });
});

describe("the positions of a day's slots", () => {
  it("puts slots that would cover each other side by side", () => {
    const placed = placeSlots([slot(1, "09:15"), slot(1, "09:00"), slot(1, "12:00")]);
    expect(placed.map(({ slot: { time }, left, width }) => ({ time, left, width }))).toEqual([
      { time: "09:00", left: 0, width: 0.5 },
      { time: "09:15", left: 0.5, width: 0.5 },
      { time: "12:00", left: 0, width: 1 },
    ]);
  });
});
