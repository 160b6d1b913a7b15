// One object counts how the deliveries of the last hour went, of all workspaces: publishers tell it after they have worked, and
// the public status asks it. It is no record: an object that ends early forgets a minute.
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

  /** What was counted in the last hour. */
  async read(): Promise<OutcomeSlot[]> {
    return addToSlots(this.#slots, {}, Date.now());
  }
}
