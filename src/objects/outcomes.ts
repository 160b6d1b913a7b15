// One object counts the delivery outcomes of the last hour in all workspaces. Publishers report to it after their work, and
// the public status reads it. It is not a durable record: an object that ends early loses a minute.
import { DurableObject } from "cloudflare:workers";
import { addToSlots, type OutcomeSlot } from "../domain/lateness.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import type { Env, OutcomesRpc } from "../env.ts";

export class Outcomes extends DurableObject<Env> implements OutcomesRpc {
  #slots: OutcomeSlot[] = this.ctx.storage.kv.get<OutcomeSlot[]>("slots") ?? [];
  #storedAt = 0;

  /** Counts outcomes by name. */
  async add(counts: Record<string, number>): Promise<void> {
    const now = Date.now();
    this.#slots = addToSlots(this.#slots, counts, now);
    if (now - this.#storedAt < MINUTE_MS) return;
    this.#storedAt = now;
    this.ctx.storage.kv.put("slots", this.#slots);
  }

  /** The counts of the last hour. */
  async read(): Promise<OutcomeSlot[]> {
    return addToSlots(this.#slots, {}, Date.now());
  }
}
