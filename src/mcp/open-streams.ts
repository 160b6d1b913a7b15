// The streams of `subscriptions/listen` that a connection has open, the oldest first. Each keeps its object in memory.
import { MCP_LISTEN_MAX_MS } from "../domain/limits.ts";
import type { CallHeader } from "./call-header.ts";

/** Streams of one credential at a time. */
export const STREAMS_MAX = 4;

interface OpenStream {
  /** The call that opened it. */
  header: CallHeader;
  /** Epoch milliseconds. */
  endsAt: number;
}

export class OpenStreams {
  readonly #streams = new Map<AbortController, OpenStream>();

  /** The call that opened the oldest stream; undefined: none is open. */
  get oldestCall(): CallHeader | undefined {
    return this.#oldest?.header;
  }

  /** When the next stream ends, in epoch milliseconds; undefined: none is open. */
  get nextEndsAt(): number | undefined {
    return this.#oldest?.endsAt;
  }

  get #oldest(): OpenStream | undefined {
    const [oldest] = this.#streams.values();
    return oldest;
  }

  /** Makes room for one more stream, which ends when the returned controller is aborted. */
  add(header: CallHeader, now: number): AbortController {
    // The oldest ends if there are too many: its client may have gone without a word.
    const [oldest] = this.#streams.keys();
    if (oldest !== undefined && this.#streams.size >= STREAMS_MAX) this.#end(oldest);
    const controller = new AbortController();
    this.#streams.set(controller, { header, endsAt: now + MCP_LISTEN_MAX_MS });
    return controller;
  }

  /** Forgets a stream that has ended by itself. */
  remove(controller: AbortController): void {
    this.#streams.delete(controller);
  }

  /** Ends the streams whose time is over; without `now`, all of them. */
  end(now = Number.POSITIVE_INFINITY): void {
    for (const [controller, { endsAt }] of this.#streams) if (endsAt <= now) this.#end(controller);
  }

  #end(controller: AbortController): void {
    controller.abort();
    this.#streams.delete(controller);
  }
}

/** The same stream; `ended` is called once, when it has ended or nobody reads it any more. */
export function watchEnd(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  body
    .pipeTo(writable)
    .catch(() => {})
    .finally(ended);
  return readable;
}
