// Durable Objects with the platform's guarantees only. There is one instance at a time, but a dying one continues its calls
// without storage. An alarm rings at least once, and never again after six failures. An object may be evicted at any await.
import { ALARM_BACKOFF_MS, ALARM_RETRIES } from "./limits.ts";
import type { Process } from "./scheduler.ts";
import { storedBy, UNKNOWN } from "./versions.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;

/** The storage of an object, and its alarm. Values are copied in and out. */
export interface ObjectStorage {
  kv: {
    get<Value>(key: string): Value | undefined;
    put(key: string, value: unknown): void;
    delete(key: string): boolean;
    list<Value>(options?: { prefix?: string }): Iterable<[string, Value]>;
  };
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
  deleteAll(): Promise<void>;
  sync(): Promise<void>;
}

/** The code that runs in an object. */
export interface ObjectLogic {
  alarm(): Promise<void>;
}
export interface Incarnation<Logic> {
  logic: Logic;
  process: Process;
  /** Another incarnation has replaced it, so its storage throws. */
  dying: boolean;
}

/** One object by its name. `make` builds the logic of one incarnation. */
export class SimulatedObject<Logic extends ObjectLogic> {
  readonly #world: World;
  readonly name: string;
  readonly workspace: string | null;
  readonly #make: (storage: ObjectStorage, process: Process) => Logic;
  readonly #kv = new Map<string, string>();
  #alarmAt: number | null = null;
  #current: Incarnation<Logic> | null = null;
  #firing: { incarnation: Incarnation<Logic>; at: number; tried: number } | null = null;

  constructor(
    world: World,
    name: string,
    workspace: string | null,
    make: (storage: ObjectStorage, process: Process) => Logic,
  ) {
    this.#world = world;
    this.name = name;
    this.workspace = workspace;
    this.#make = make;
  }

  /** When its alarm rings; epoch milliseconds. */
  get alarmAt(): number | null {
    return this.#alarmAt;
  }

  /** The current incarnation. */
  incarnation(): Incarnation<Logic> {
    const current = this.#current;
    if (current !== null && !current.process.dead) return current;
    const process = this.#world.processes.makeProcess("alarm", this.workspace, this.name);
    const incarnation: { dying: boolean; process: Process; logic?: Logic } = { dying: false, process };
    const logic = this.#make(this.#storageOf(incarnation), process);
    const made: Incarnation<Logic> = Object.assign(incarnation, { logic });
    this.#current = made;
    this.#world.processes.ownedBy(process, {
      killed: () => this.#gone(made),
      replace: () => this.#replace(made),
    });
    return made;
  }

  /** Its process has ended. Its memory is lost, its storage is not. */
  #gone(incarnation: Incarnation<Logic>): void {
    if (this.#current === incarnation) this.#current = null;
    if (this.#firing?.incarnation === incarnation) this.#failed();
  }

  /** Another incarnation replaces it. The old one continues without storage. */
  #replace(incarnation: Incarnation<Logic>): void {
    if (incarnation.dying) return;
    incarnation.dying = true;
    this.#world.note(`${this.name} is taken over while alarm${incarnation.process.id} still runs`);
    if (this.#current === incarnation) this.#current = null;
    if (this.#firing?.incarnation === incarnation) this.#failed();
  }

  #failed(): void {
    const { at, tried } = this.#firing ?? { at: 0, tried: ALARM_RETRIES };
    this.#firing = null;
    if (tried >= ALARM_RETRIES) {
      this.#world.note(`the alarm of ${this.name} is given up`);
      return;
    }
    this.#world.after(ALARM_BACKOFF_MS * 2 ** tried, () => this.#fire(at, tried + 1, true));
  }

  #storageOf(incarnation: { dying: boolean; process: Process }): ObjectStorage {
    const owned = <Result>(act: () => Result): Result => {
      if (incarnation.dying)
        throw new Error("The Durable Object's code has been updated, this version can no longer access storage.");
      return act();
    };
    const read = <Value>(text: string | undefined): Value | undefined =>
      // The caller names the type, as with the real storage.
      text === undefined ? undefined : (JSON.parse(text) as Value);
    return {
      kv: {
        get: <Value>(key: string) => owned(() => read<Value>(this.#kv.get(key))),
        put: (key, value) =>
          owned(() => {
            const { version } = incarnation.process;
            this.#kv.set(key, JSON.stringify(storedBy(version, key, value)));
            if (version === "after") this.#kv.set(`next_release:${key}`, JSON.stringify(UNKNOWN));
          }),
        delete: (key) => owned(() => this.#kv.delete(key)),
        list: <Value>({ prefix = "" }: { prefix?: string } = {}) =>
          owned(() =>
            [...this.#kv]
              .filter(([key]) => key.startsWith(prefix))
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, text]): [string, Value] => [key, JSON.parse(text) as Value]),
          ),
      },
      getAlarm: async () => owned(() => this.#alarmAt),
      setAlarm: async (at) => owned(() => this.#set(at)),
      deleteAlarm: async () =>
        owned(() => {
          this.#alarmAt = null;
        }),
      deleteAll: async () =>
        owned(() => {
          this.#kv.clear();
          this.#alarmAt = null;
        }),
      sync: async () => owned(() => {}),
    };
  }

  #set(at: number): void {
    this.#alarmAt = at;
    // An alarm for the present instant that is set while an alarm is handled never rings (cloudflare/workerd#6866, read
    // 2026-11-26).
    if (this.#firing !== null && at <= this.#world.now()) return;
    const { chance } = this.#world;
    const late = this.#world.strikes("alarm_late", this) ? chance.between(1_000, 5 * MINUTE) : 0;
    // The fault strikes when the alarm is due, which may be hours from now.
    if (late > 0) Object.assign(this.#world.lastInjected, { at: Math.max(at, this.#world.now()), ms: late });
    this.#world.scheduler.at(at + late, () => {
      if (this.#alarmAt === at) this.#fire(at, 0, false);
    });
  }

  #fire(at: number, tried: number, again: boolean): void {
    const world = this.#world;
    // An object handles one alarm at a time. A newly set alarm replaces a retry.
    if (again && this.#alarmAt !== null) return;
    if (this.#firing !== null || world.now() < world.outageUntil) {
      world.scheduler.at(Math.max(world.outageUntil, world.now() + 1_000), () => {
        if (again || this.#alarmAt === at) this.#fire(at, tried, again);
      });
      return;
    }
    if (!again) {
      this.#alarmAt = null;
      if (world.strikes("alarm_lost", this)) return;
    }
    const incarnation = this.incarnation();
    const firing = { incarnation, at, tried };
    this.#firing = firing;
    world.processes.runIn(
      incarnation.process,
      () => incarnation.logic.alarm(),
      (outcome) => {
        if (this.#firing !== firing) return;
        if (outcome === "threw") {
          this.#failed();
          return;
        }
        this.#firing = null;
        if (world.strikes("alarm_twice", this)) world.after(10, () => this.#fire(at, ALARM_RETRIES, true));
      },
    );
  }
}
