// The one alarm of an object. It only ever moves to an earlier time, by one caller at a time, and is set again if it should
// have rung.
import { isOverdue, toAlarmTime } from "../domain/alarm.ts";

export interface AlarmStorage {
  getAlarm(): Promise<number | null>;
  setAlarm(alarmAt: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

export class Alarm {
  readonly #storage: AlarmStorage;
  #last: Promise<void> = Promise.resolve();

  constructor(storage: AlarmStorage) {
    this.#storage = storage;
  }

  /**
   * Makes the alarm ring at `at` (epoch milliseconds), or earlier if it is already set to an earlier time. An overdue alarm
   * rings at once: its work is due, and the caller may be the sweeper that found that work.
   */
  setBy(alarmAt: number): Promise<void> {
    const set = async () => {
      const currentAlarmAt = await this.#storage.getAlarm();
      const now = Date.now();
      if (currentAlarmAt === null || currentAlarmAt > alarmAt) await this.#storage.setAlarm(toAlarmTime(alarmAt, now));
      else if (isOverdue(currentAlarmAt, now)) await this.#storage.setAlarm(toAlarmTime(now, now));
    };
    const completion = this.#last.then(set);
    this.#last = completion.catch(() => {});
    return completion;
  }
}
