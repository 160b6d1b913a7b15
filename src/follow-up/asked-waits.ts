// Channels whose network asked for a wait when a live post was rechecked. Later rechecks wait for that. Due deliveries do
// not, because most networks count reads and posts separately, and refuse a post if there were too many.
import type { KeyValueStorage } from "../delivery/unwritten.ts";

const WAIT = "asked_wait:";

export class AskedWaits {
  readonly #storage: Pick<KeyValueStorage, "kv">;

  constructor(storage: Pick<KeyValueStorage, "kv">) {
    this.#storage = storage;
  }

  /** `until`: epoch milliseconds. */
  keep(channelId: string, until: number): void {
    this.#storage.kv.put(WAIT + channelId, until);
  }

  /** Until when a channel is left alone (epoch milliseconds), or null if no wait is in force. */
  until(channelId: string, now: number): number | null {
    const until = this.#storage.kv.get<number>(WAIT + channelId) ?? null;
    if (until === null || until > now) return until;
    this.#storage.kv.delete(WAIT + channelId);
    return null;
  }
}
