// Remembers the channels whose network asked for a pause when a live post was rechecked. Later rechecks wait until the pause
// is over. Due deliveries do not wait: most networks count reads and posts separately, and refuse a post above its limit.
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

  /** Until when the channel's rechecks must wait (epoch milliseconds), or null if no pause is in force. */
  until(channelId: string, now: number): number | null {
    const until = this.#storage.kv.get<number>(WAIT + channelId) ?? null;
    if (until === null || until > now) return until;
    this.#storage.kv.delete(WAIT + channelId);
    return null;
  }
}
