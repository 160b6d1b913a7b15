// The one alarm of an object: only ever moved nearer, by one caller at a time, and set anew when it should have rung.
import { isOverdue } from "../domain/alarm.ts";

export interface AlarmStorage {
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

export class Alarm {
  readonly #storage: AlarmStorage;
  #last: Promise<void> = Promise.resolve();

  constructor(storage: AlarmStorage) {
    this.#storage = storage;
  }

  /**
   * Has the alarm ring at `at` (epoch milliseconds), or earlier when it is set to that. An alarm that is overdue rings at
   * once: what it was set for is due, and whoever asks may be the sweeper, which found just that.
   */
  setBy(at: number): Promise<void> {
    const set = async () => {
      const known = await this.#storage.getAlarm();
      if (known === null || known > at) await this.#storage.setAlarm(Math.ceil(at));
      else if (isOverdue(known, Date.now())) await this.#storage.setAlarm(Date.now());
    };
    const done = this.#last.then(set);
    this.#last = done.catch(() => {});
    return done;
  }
}
