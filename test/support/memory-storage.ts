// The storage of a Durable Object in memory. It outlives the object, so that a test can start the object again.
import type { PublisherStorage } from "../../src/publisher/publisher.ts";

export interface MemoryStorage extends PublisherStorage {
  /** All stored values, by name. */
  readonly values: Map<string, unknown>;
  readonly alarmAt: number | null;
  /** A copy of the storage for the next object. Later writes to this storage do not reach the copy. */
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
    setAlarm: async (time) => {
      alarm = time;
    },
    deleteAlarm: async () => {
      alarm = null;
    },
    deleteAll: async () => values.clear(),
  };
}
