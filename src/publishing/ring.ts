// When channels of one workspace have work due, and how the queue hears of it (-> clock.ts, the object that it lives in).
import { errorText, log } from "../adapters/log.ts";
import type { ChannelJob } from "../domain/job.ts";
import type { ClockEntry } from "../env.ts";

const BATCH = 100;
/** Channels that one ring sends before it sets itself anew. */
const RING_MAX = 2_000;
/** After a queue that would not take messages. */
const PAUSE_MS = 2_000;

/** What an object's own storage offers of all that the clock needs. */
export interface RingStorage {
  sql: {
    exec<Row extends Record<string, SqlStorageValue>>(
      query: string,
      ...bindings: (string | number)[]
    ): { toArray(): Row[] };
  };
  kv: {
    get<Value>(key: string): Value | undefined;
    put(key: string, value: string): void;
    delete(key: string): unknown;
  };
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

export class Ring {
  readonly #storage: RingStorage;
  readonly #now: () => number;

  constructor(storage: RingStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
    storage.sql.exec(
      // One row for an instant, however many channels: each row that is written is billed.
      "CREATE TABLE IF NOT EXISTS rings (at INTEGER PRIMARY KEY, channels TEXT NOT NULL)",
    );
  }

  /** Notes when channels have work; rings at once for what is due already. */
  async arm(workspace: string, entries: ClockEntry[]): Promise<void> {
    const { sql, kv } = this.#storage;
    if (kv.get("workspace") !== workspace) kv.put("workspace", workspace);
    const byInstant = Map.groupBy(entries, ({ at }) => Math.floor(at));
    for (const [at, together] of byInstant) {
      const known = this.#channelsAt(at);
      const channels = new Set([...known, ...together.map(({ channel }) => channel)]);
      if (channels.size === known.length) continue;
      sql.exec("INSERT OR REPLACE INTO rings VALUES (?, ?)", at, [...channels].join(" "));
    }
    await this.#setNext();
  }

  /** Forgets everything: the workspace is gone. */
  async clear(): Promise<void> {
    await this.#storage.deleteAlarm();
    this.#storage.sql.exec("DELETE FROM rings");
    this.#storage.kv.delete("workspace");
  }

  /** Hands `send` what is due, and sets the next alarm whatever became of that. Never throws for a queue that fails. */
  async alarm(send: (jobs: ChannelJob[]) => Promise<void>): Promise<void> {
    let pauseMs = 0;
    try {
      await this.#ring(send);
    } catch (error) {
      // A throw would use up one of the platform's six retries; the clock sets itself anew instead.
      log("error", "clock_failed", { error: errorText(error) });
      pauseMs = PAUSE_MS;
    } finally {
      await this.#setNext(pauseMs);
    }
  }

  async #ring(send: (jobs: ChannelJob[]) => Promise<void>): Promise<void> {
    const { sql, kv } = this.#storage;
    const workspace = kv.get<string>("workspace");
    if (workspace === undefined) return;
    for (let rung = 0; rung < RING_MAX; ) {
      const due = sql
        .exec<{ at: number; channels: string }>(
          "SELECT at, channels FROM rings WHERE at <= ? LIMIT ?",
          this.#now(),
          BATCH,
        )
        .toArray();
      if (due.length === 0) return;
      const channels = [...new Set(due.flatMap(({ channels }) => channels.split(" ")))];
      for (let i = 0; i < channels.length; i += BATCH) {
        await send(channels.slice(i, i + BATCH).map((channel) => ({ kind: "channel", workspace, channel })));
      }
      for (const { at, channels } of due) {
        // What was added while the queue was asked rings again.
        sql.exec("DELETE FROM rings WHERE at = ? AND channels = ?", at, channels);
      }
      rung += channels.length;
    }
  }

  #channelsAt(at: number): string[] {
    const [row] = this.#storage.sql.exec<{ channels: string }>("SELECT channels FROM rings WHERE at = ?", at).toArray();
    return row?.channels.split(" ") ?? [];
  }

  /** Sets the alarm to the earliest entry, at least `pauseMs` from now. */
  async #setNext(pauseMs = 0): Promise<void> {
    const [next] = this.#storage.sql.exec<{ at: number }>("SELECT at FROM rings ORDER BY at LIMIT 1").toArray();
    if (next === undefined) return;
    const at = Math.max(next.at, this.#now() + pauseMs);
    const set = await this.#storage.getAlarm();
    if (set === null || set > at) await this.#storage.setAlarm(at);
  }
}
