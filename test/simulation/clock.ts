// The clock object of a workspace in the simulation, over storage and alarms that may be late, doubled or lost.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ClockEntry } from "../../src/env.ts";
import { Ring, type RingStorage } from "../../src/publishing/ring.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;

/** A run has one workspace, so that its clock's storage serves one run after the other. */
const shared = new DatabaseSync(":memory:");
const statements = new Map<string, StatementSync>();

/** The clock object of one workspace: the real one's logic over an alarm that may be late, doubled or lost. */
export class SimulatedClock {
  readonly #world: World;
  readonly #kv = new Map<string, string>();
  readonly #ring: Ring;
  #alarmAt: number | null = null;
  #isRinging = false;

  constructor(world: World) {
    this.#world = world;
    const storage: RingStorage = {
      sql: {
        exec: (query, ...bindings) => {
          const statement = statements.get(query) ?? shared.prepare(query);
          statements.set(query, statement);
          const rows = statement.all(...bindings);
          // SQLite gives back the columns that the query names.
          return { toArray: () => rows as never[] };
        },
      },
      kv: {
        get: <Value>(key: string) => this.#kv.get(key) as Value | undefined,
        put: (key, value) => this.#kv.set(key, value),
        delete: (key) => this.#kv.delete(key),
      },
      getAlarm: async () => this.#alarmAt,
      setAlarm: async (at) => this.#set(at),
      deleteAlarm: async () => {
        this.#alarmAt = null;
      },
    };
    this.#ring = new Ring(storage, () => world.now());
    shared.exec("DELETE FROM rings");
  }

  arm(workspace: string, entries: ClockEntry[]): Promise<void> {
    return this.#ring.arm(workspace, entries);
  }
  clear(): Promise<void> {
    return this.#ring.clear();
  }

  #set(at: number): void {
    this.#alarmAt = at;
    const { chance } = this.#world;
    const late = this.#world.strikes("alarm_late") ? chance.between(1_000, 5 * MINUTE) : 0;
    this.#world.scheduler.at(at + late, () => {
      if (this.#alarmAt === at) this.#fire(at, 0);
    });
  }

  #fire(at: number, tried: number): void {
    const { outageUntil } = this.#world;
    // An object does one alarm at a time.
    if (this.#isRinging || this.#world.now() < outageUntil) {
      this.#world.scheduler.at(Math.max(outageUntil, this.#world.now() + 1_000), () => this.#fire(at, tried));
      return;
    }
    this.#alarmAt = null;
    if (this.#world.strikes("alarm_lost")) return;
    this.#isRinging = true;
    this.#world.spawn(
      "alarm",
      (ctx) => this.#ring.alarm((jobs) => this.#world.sendFrom(ctx, jobs)),
      (how) => {
        this.#isRinging = false;
        if (how === "killed" && tried < 6) this.#world.after(2_000 * 2 ** tried, () => this.#fire(at, tried + 1));
        if (how === "done" && this.#world.strikes("alarm_twice")) this.#world.after(10, () => this.#fire(at, 6));
      },
    );
  }
}
