// The clock of one workspace: when a channel has work due, it rings, and the channel goes onto the queue (-> ring.ts,
// consume.ts). It is only an index of D1: what it forgets, the sweeper finds.
import { DurableObject } from "cloudflare:workers";
import type { ClockEntry, ClockRpc, Env } from "../env.ts";
import { Ring, type RingStorage } from "./ring.ts";

export class Clock extends DurableObject<Env> implements ClockRpc {
  readonly #ring: Ring;

  constructor(state: DurableObjectState, env: Env, storage: RingStorage = state.storage) {
    super(state, env);
    this.#ring = new Ring(storage, Date.now);
  }

  async arm(workspace: string, entries: ClockEntry[]): Promise<void> {
    await this.#ring.arm(workspace, entries);
  }

  async clear(): Promise<void> {
    await this.#ring.clear();
  }

  override async alarm(): Promise<void> {
    await this.#ring.alarm(async (jobs) => {
      await this.env.QUEUE.sendBatch(jobs.map((body) => ({ body })));
    });
  }
}
