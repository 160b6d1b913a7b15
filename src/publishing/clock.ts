// The clock of one workspace: when a channel has work due, it rings, and the channel goes onto the queue (-> consume.ts).
// It is only an index of D1: what it forgets, the sweeper finds.
import { DurableObject } from "cloudflare:workers";
import { errorText, log } from "../adapters/log.ts";
import type { ChannelJob } from "../domain/job.ts";
import type { ClockEntry, ClockRpc, Env } from "../env.ts";

const BATCH = 100;
/** Entries that one ring works off before it sets itself anew. */
const RING_MAX = 2_000;
/** After a queue that would not take messages. */
const PAUSE_MS = 2_000;

export class Clock extends DurableObject<Env> implements ClockRpc {
  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    state.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS due (at INTEGER NOT NULL, channel TEXT NOT NULL, PRIMARY KEY (at, channel)) WITHOUT ROWID",
    );
  }

  /** Notes when channels have work; rings at once for what is due already. */
  async arm(workspace: string, entries: ClockEntry[]): Promise<void> {
    const { sql, kv } = this.ctx.storage;
    if (kv.get("workspace") !== workspace) kv.put("workspace", workspace);
    for (const { at, channel } of entries) sql.exec("INSERT OR IGNORE INTO due VALUES (?, ?)", Math.floor(at), channel);
    await this.#setNext();
  }

  /** Forgets everything: the workspace is gone. */
  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    this.ctx.storage.sql.exec("DELETE FROM due");
    this.ctx.storage.kv.delete("workspace");
  }

  override async alarm(): Promise<void> {
    let pauseMs = 0;
    try {
      await this.#ring();
    } catch (error) {
      // A throw would use up one of the platform's six retries; the clock sets itself anew instead.
      log("error", "clock_failed", { error: errorText(error) });
      pauseMs = PAUSE_MS;
    } finally {
      await this.#setNext(pauseMs);
    }
  }

  async #ring(): Promise<void> {
    const { sql, kv } = this.ctx.storage;
    const workspace = kv.get<string>("workspace");
    if (workspace === undefined) return;
    for (let rung = 0; rung < RING_MAX; rung += BATCH) {
      const due = sql
        .exec<{ at: number; channel: string }>("SELECT at, channel FROM due WHERE at <= ? LIMIT ?", Date.now(), BATCH)
        .toArray();
      if (due.length === 0) return;
      const channels = [...new Set(due.map(({ channel }) => channel))];
      await this.env.QUEUE.sendBatch(
        channels.map((channel) => ({ body: { kind: "channel", workspace, channel } satisfies ChannelJob })),
      );
      for (const { at, channel } of due) sql.exec("DELETE FROM due WHERE at = ? AND channel = ?", at, channel);
    }
  }

  /** Sets the alarm to the earliest entry, at least `pauseMs` from now. */
  async #setNext(pauseMs = 0): Promise<void> {
    const [next] = this.ctx.storage.sql.exec<{ at: number }>("SELECT at FROM due ORDER BY at LIMIT 1").toArray();
    if (next === undefined) return;
    const at = Math.max(next.at, Date.now() + pauseMs);
    const set = await this.ctx.storage.getAlarm();
    if (set === null || set > at) await this.ctx.storage.setAlarm(at);
  }
}
