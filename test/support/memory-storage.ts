// An object's storage that lasts as long as the test holds it: what outlives the object that writes it.
import type { PublisherStorage } from "../../src/publisher/publisher.ts";

export interface MemoryStorage extends PublisherStorage {
  /** All that is stored, by name. */
  readonly values: Map<string, unknown>;
  readonly alarmAt: number | null;
  /** The storage as another object finds it; what this one writes from now on goes nowhere else. */
  reopened(): MemoryStorage;
}

export function memoryStorage(values = new Map<string, unknown>(), alarmAt: number | null = null): MemoryStorage {
  let alarm = alarmAt;
  return {
    values,
    get alarmAt() {
      return alarm;
    },
    reopened: () => memoryStorage(structuredClone(values), alarm),
    kv: {
      get: <Value>(key: string) => structuredClone(values.get(key)) as Value | undefined,
      put: (key: string, value: unknown) => void values.set(key, structuredClone(value)),
      delete: (key: string) => values.delete(key),
      list: <Value>({ prefix }: { prefix: string }) =>
        [...values]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, value]): [string, Value] => [key, structuredClone(value) as Value]),
    },
    sync: async () => {},
    getAlarm: async () => alarm,
    setAlarm: async (at) => {
      alarm = at;
    },
    deleteAlarm: async () => {
      alarm = null;
    },
    deleteAll: async () => values.clear(),
  };
}
