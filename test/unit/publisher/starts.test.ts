import { describe, expect, it } from "vitest";
import { Starts } from "../../../src/publisher/starts.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

const IN_TIME = { isLate: false, hasFollowUps: false };
const LATE = { isLate: true, hasFollowUps: false };

/** Begins a start with the storage that earlier objects left. The first start is in time, and later ones find late work. */
function beginStart(storage: ReturnType<typeof memoryStorage>, isFirst = false): Starts {
  const starts = new Starts(storage);
  starts.begin(isFirst ? IN_TIME : LATE);
  return starts;
}

describe("starts", () => {
  it("starts that end leave nothing in the storage", () => {
    const storage = memoryStorage();
    for (let i = 0; i < 10; i++) {
      const starts = beginStart(storage);
      expect(starts.isCareful).toBe(false);
      starts.end();
    }
    expect(storage.values.has("begun")).toBe(false);
  });

  it("a start that is in time and has no follow-ups writes nothing", () => {
    const storage = memoryStorage();
    beginStart(storage, true);
    expect(storage.values.size).toBe(0);
    new Starts(storage).begin({ isLate: false, hasFollowUps: true });
    expect(storage.values.has("begun")).toBe(true);
  });

  it("an object counts as one start, even if its alarm fires several times", () => {
    const starts = new Starts(memoryStorage());
    expect([IN_TIME, LATE, LATE, IN_TIME].map((work) => starts.begin(work))).toEqual([1, 1, 1, 1]);
    expect(starts.isCareful).toBe(false);
  });

  it("the third start without an end is careful, and further ones wait longer, up to a limit", () => {
    const storage = memoryStorage();
    const waits = Array.from({ length: 20 }, (_, i) => {
      const starts = beginStart(storage, i === 0);
      return starts.isCareful ? starts.backOffMs : null;
    });
    expect(waits.slice(0, 2)).toEqual([null, null]);
    expect(waits[2]).toBeGreaterThan(0);
    expect(waits[3]).toBeGreaterThan(waits[2] ?? 0);
    expect(Math.max(...waits.map(Number))).toBeLessThanOrEqual(30_000);
    beginStart(storage).end();
    expect(beginStart(storage).isCareful).toBe(false);
  });

  it("work that was processed alone during three starts without an end is hopeless, and other work is not", async () => {
    const storage = memoryStorage();
    beginStart(storage, true);
    beginStart(storage);
    for (let i = 0; i < 3; i++) {
      const starts = beginStart(storage);
      expect(starts.endsAt("poison")).toBe(i);
      expect(starts.isHopeless("poison")).toBe(false);
      await starts.alone("innocent", async () => {});
      void starts.alone("poison", () => new Promise(() => {}));
    }
    const starts = beginStart(storage);
    expect(starts.isHopeless("poison")).toBe(true);
    expect(starts.isHopeless("innocent")).toBe(false);
    expect(starts.endsAt("innocent")).toBe(0);
  });
});

describe("work that ended the object and has a written result", () => {
  const ENDED = { starts: 5, alone: "given up", ends: { "given up": 2, other: 1 } };

  it("work whose result is written loses its count of ends, and other work does not", () => {
    const starts = beginStart(memoryStorage(new Map([["begun", ENDED]])));
    expect([starts.isHopeless("given up"), starts.endsAt("other")]).toEqual([true, 1]);
    starts.forget("given up");
    expect([starts.isHopeless("given up"), starts.endsAt("other")]).toEqual([false, 1]);
  });

  it("work whose result is written has no ends for the next object, even if this object ends early", async () => {
    const storage = memoryStorage(new Map([["begun", ENDED]]));
    const starts = beginStart(storage);
    await starts.alone("given up", async () => starts.forget("given up"));
    expect(beginStart(storage).endsAt("given up")).toBe(0);
  });

  it("work with a written result writes a row only if the object had ended during it", () => {
    const storage = memoryStorage(new Map([["begun", ENDED]]));
    const starts = beginStart(storage);
    const before = storage.values.get("begun");
    starts.forget("unknown");
    expect(storage.values.get("begun")).toBe(before);
  });
});

describe("a careful start", () => {
  const startsAfter = (starts: number) => {
    const careful = new Starts(memoryStorage(new Map([["begun", { starts, alone: null, ends: {} }]])));
    careful.begin(LATE);
    return careful;
  };

  it("a careful start waits 300 ms longer each time, up to a second and a half", () => {
    expect([2, 3, 6, 7, 50].map((before) => startsAfter(before).backOffMs)).toEqual([300, 600, 1_500, 1_500, 1_500]);
  });

  it("the third start without an end is careful even if nothing is late", () => {
    const storage = memoryStorage(new Map([["begun", { starts: 2, alone: null, ends: {} }]]));
    const starts = new Starts(storage);
    expect(starts.begin(IN_TIME)).toBe(3);
    expect(starts.isCareful).toBe(true);
    expect(storage.values.get("begun")).toEqual({ starts: 3, alone: null, ends: {} });
  });

  it("an object that has not begun is not careful, and does not end earlier starts", () => {
    const storage = memoryStorage(new Map([["begun", { starts: 9, alone: null, ends: {} }]]));
    const starts = new Starts(storage);
    expect([starts.isCareful, starts.endsAt("x"), starts.backOffMs]).toEqual([false, 0, -600]);
    starts.end();
    expect(storage.values.has("begun")).toBe(true);
  });
});

describe("failures of our own work", () => {
  it("the counts of failures are written only when they change", () => {
    const storage = memoryStorage();
    new Starts(storage).forget("delivery");
    expect(storage.values.size).toBe(0);
    new Starts(storage).noteFailure("delivery");
    expect(storage.values.get("failures")).toEqual({ delivery: 1 });
  });

  it("five failures in one or several objects make work hopeless, and a success resets them", () => {
    const storage = memoryStorage();
    for (let i = 1; i <= 5; i++) {
      const starts = new Starts(storage);
      expect(starts.isHopeless("broken")).toBe(false);
      expect(starts.noteFailure("broken")).toBe(i);
    }
    const starts = new Starts(storage);
    expect(starts.isHopeless("broken")).toBe(true);
    expect(starts.isHopeless("other")).toBe(false);
    starts.forget("broken");
    expect(starts.isHopeless("broken")).toBe(false);
  });

  it("the counts of failures are read from the storage once", () => {
    const storage = memoryStorage();
    new Starts(storage).noteFailure("broken");
    const namesRead: string[] = [];
    const { kv } = storage;
    const counting = <Value>(name: string) => {
      namesRead.push(name);
      return kv.get<Value>(name);
    };
    const starts = new Starts({ kv: { ...kv, get: counting } });
    for (let i = 0; i < 50; i++) {
      expect(starts.isHopeless(`delivery ${i}`)).toBe(false);
      starts.forget(`delivery ${i}`);
    }
    expect(namesRead).toHaveLength(1);
    expect([2, 3, 4, 5].map(() => starts.noteFailure("broken"))).toEqual([2, 3, 4, 5]);
    expect(new Starts(storage).isHopeless("broken")).toBe(true);
    starts.forget("broken");
    expect([starts, new Starts(storage)].map((starter) => starter.isHopeless("broken"))).toEqual([false, false]);
  });
});
