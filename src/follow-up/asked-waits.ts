// Channels whose network asked to be left alone when a published post was looked at. What is looked at later waits for that;
// what is due to be published does not, for most networks count reads and posts apart, and say so when a post is one too many.
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

  /** Until when a channel is left alone (epoch milliseconds); null: nobody asked for it any more. */
  until(channelId: string, now: number): number | null {
    const until = this.#storage.kv.get<number>(WAIT + channelId) ?? null;
    if (until === null || until > now) return until;
    this.#storage.kv.delete(WAIT + channelId);
    return null;
  }
}
