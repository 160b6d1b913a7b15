import { describe, expect, it } from "vitest";
import { Starts } from "../../../src/publisher/starts.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

const IN_TIME = { isLate: false, hasFollowUps: false };
const LATE = { isLate: true, hasFollowUps: false };

/** An object that begins over what others have left, and ends there: the first is in time, the next find its work late. */
function begun(storage: ReturnType<typeof memoryStorage>, isFirst = false): Starts {
  const starts = new Starts(storage);
  starts.begin(isFirst ? IN_TIME : LATE);
  return starts;
}

describe("starts", () => {
  it("that end leave nothing behind", () => {
    const storage = memoryStorage();
    for (let i = 0; i < 10; i++) {
      const starts = begun(storage);
      expect(starts.isCareful).toBe(false);
      starts.end();
    }
    expect(storage.values.has("begun")).toBe(false);
  });

  it("that are in time and only publish cost no row", () => {
    const storage = memoryStorage();
    begun(storage, true);
    expect(storage.values.size).toBe(0);
    new Starts(storage).begin({ isLate: false, hasFollowUps: true });
    expect(storage.values.has("begun")).toBe(true);
  });

  it("are counted once for each object, however often its alarm rings", () => {
    const starts = new Starts(memoryStorage());
    expect([IN_TIME, LATE, LATE, IN_TIME].map((how) => starts.begin(how))).toEqual([1, 1, 1, 1]);
    expect(starts.isCareful).toBe(false);
  });

  it("without an end make the third one careful, and each one wait longer, up to a limit", () => {
    const storage = memoryStorage();
    const waits = Array.from({ length: 20 }, (_, i) => {
      const starts = begun(storage, i === 0);
      return starts.isCareful ? starts.backOffMs : null;
    });
    expect(waits.slice(0, 2)).toEqual([null, null]);
    expect(waits[2]).toBeGreaterThan(0);
    expect(waits[3]).toBeGreaterThan(waits[2] ?? 0);
    expect(Math.max(...waits.map(Number))).toBeLessThanOrEqual(30_000);
    begun(storage).end();
    expect(begun(storage).isCareful).toBe(false);
  });

  it("that end at the same thing three times, alone, make it hopeless; others not", async () => {
    const storage = memoryStorage();
    begun(storage, true);
    begun(storage);
    for (let i = 0; i < 3; i++) {
      const starts = begun(storage);
      expect(starts.endsAt("poison")).toBe(i);
      expect(starts.isHopeless("poison")).toBe(false);
      await starts.alone("innocent", async () => {});
      void starts.alone("poison", () => new Promise(() => {}));
    }
    const starts = begun(storage);
    expect(starts.isHopeless("poison")).toBe(true);
    expect(starts.isHopeless("innocent")).toBe(false);
    expect(starts.endsAt("innocent")).toBe(0);
  });
});

describe("work that ended the object and has a written result", () => {
  const ENDED = { starts: 5, alone: "given up", ends: { "given up": 2, other: 1 } };

  it("begins again with a clean record, and no other work does", () => {
    const starts = begun(memoryStorage(new Map([["begun", ENDED]])));
    expect([starts.isHopeless("given up"), starts.endsAt("other")]).toEqual([true, 1]);
    starts.forget("given up");
    expect([starts.isHopeless("given up"), starts.endsAt("other")]).toEqual([false, 1]);
  });

  it("has a clean record in the next object too, even if this one ends before it has worked everything", async () => {
    const storage = memoryStorage(new Map([["begun", ENDED]]));
    const starts = begun(storage);
    await starts.alone("given up", async () => starts.forget("given up"));
    expect(begun(storage).endsAt("given up")).toBe(0);
  });

  it("costs a row only if the object ended at it", () => {
    const storage = memoryStorage(new Map([["begun", ENDED]]));
    const starts = begun(storage);
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

  it("waits 300 ms longer each time, up to a second and a half", () => {
    expect([2, 3, 6, 7, 50].map((before) => startsAfter(before).backOffMs)).toEqual([300, 600, 1_500, 1_500, 1_500]);
  });

  it("is the third one without an end, also where it finds nothing late", () => {
    const storage = memoryStorage(new Map([["begun", { starts: 2, alone: null, ends: {} }]]));
    const starts = new Starts(storage);
    expect(starts.begin(IN_TIME)).toBe(3);
    expect(starts.isCareful).toBe(true);
    expect(storage.values.get("begun")).toEqual({ starts: 3, alone: null, ends: {} });
  });

  it("that an object has not made has nothing to count or to end", () => {
    const storage = memoryStorage(new Map([["begun", { starts: 9, alone: null, ends: {} }]]));
    const starts = new Starts(storage);
    expect([starts.isCareful, starts.endsAt("x"), starts.backOffMs]).toEqual([false, 0, -600]);
    starts.end();
    expect(storage.values.has("begun")).toBe(true);
  });
});

describe("failures of our own work", () => {
  it("are written where they change, and nowhere else", () => {
    const storage = memoryStorage();
    new Starts(storage).forget("delivery");
    expect(storage.values.size).toBe(0);
    new Starts(storage).noteFailure("delivery");
    expect(storage.values.get("failures")).toEqual({ delivery: 1 });
  });

  it("five of them make something hopeless, also across objects; a success forgets them", () => {
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

  it("are looked for once, however many deliveries they work", () => {
    const storage = memoryStorage();
    new Starts(storage).noteFailure("broken");
    const asked: string[] = [];
    const { kv } = storage;
    const counting = <Value>(name: string) => {
      asked.push(name);
      return kv.get<Value>(name);
    };
    const starts = new Starts({ kv: { ...kv, get: counting } });
    for (let i = 0; i < 50; i++) {
      expect(starts.isHopeless(`delivery ${i}`)).toBe(false);
      starts.forget(`delivery ${i}`);
    }
    expect(asked).toHaveLength(1);
    expect([2, 3, 4, 5].map(() => starts.noteFailure("broken"))).toEqual([2, 3, 4, 5]);
    expect(new Starts(storage).isHopeless("broken")).toBe(true);
    starts.forget("broken");
    expect([starts, new Starts(storage)].map((one) => one.isHopeless("broken"))).toEqual([false, false]);
  });
});
