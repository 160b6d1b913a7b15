// The open `subscriptions/listen` streams of a connection, oldest first. Each one keeps the Durable Object in memory.
import { MCP_LISTEN_MAX_MS } from "../domain/limits.ts";
import type { CallHeader } from "./call-header.ts";

/** The maximum number of concurrent streams of one credential. */
export const STREAMS_MAX = 4;

interface OpenStream {
  /** The call that opened the stream. */
  header: CallHeader;
  /** Epoch milliseconds. */
  endsAt: number;
}

export class OpenStreams {
  readonly #streams = new Map<AbortController, OpenStream>();

  /** The call that opened the oldest stream; undefined if no stream is open. */
  get oldestCall(): CallHeader | undefined {
    return this.#oldest?.header;
  }

  /** When the next stream ends, in epoch milliseconds; undefined if no stream is open. */
  get nextEndsAt(): number | undefined {
    return this.#oldest?.endsAt;
  }

  get #oldest(): OpenStream | undefined {
    const [oldest] = this.#streams.values();
    return oldest;
  }

  /** Makes room for one more stream. Aborting the returned controller ends that stream. */
  add(header: CallHeader, now: number): AbortController {
    // If there are too many, the oldest stream ends: its client may have disconnected silently.
    const [oldest] = this.#streams.keys();
    if (oldest !== undefined && this.#streams.size >= STREAMS_MAX) this.#end(oldest);
    const controller = new AbortController();
    this.#streams.set(controller, { header, endsAt: now + MCP_LISTEN_MAX_MS });
    return controller;
  }

  /** Removes a stream that has already ended. */
  remove(controller: AbortController): void {
    this.#streams.delete(controller);
  }

  /** Ends the streams that have reached their time limit; without `now`, all streams. */
  end(now = Number.POSITIVE_INFINITY): void {
    for (const [controller, { endsAt }] of this.#streams) if (endsAt <= now) this.#end(controller);
  }

  #end(controller: AbortController): void {
    controller.abort();
    this.#streams.delete(controller);
  }
}

/** Returns the same stream. Calls `ended` once, when the stream has ended or its reader has cancelled it. */
export function watchEnd(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  body
    .pipeTo(writable)
    .catch(() => {})
    .finally(ended);
  return readable;
}
