// A file of a post, as a connector gets it.
import type { MediaKind } from "../domain/posts/platform-rule.ts";

/** A file of a post. Its bytes are opened when they are sent, never held in memory. */
export interface MediaFile {
  id: string;
  /** From 0, in publish order. */
  position: number;
  kind: MediaKind;
  /** The file's own name, which people who get a document see; absent or null: unknown. */
  name?: string | null;
  contentType: string;
  bytes: number;
  width: number | null;
  height: number | null;
  seconds: number | null;
  alt: string | null;
  /** Names the content in our bucket; absent if the file is sent from another host. */
  etag?: string;
  /** A public address where a network can fetch the file. */
  url: string;
  /**
   * The file's bytes, or `range` of them (`offset` and `length` in bytes). Throws `MediaUnavailable` if the file is gone,
   * changed since it was checked, or cannot be read now.
   */
  open(range?: { offset: number; length: number }): Promise<ReadableStream<Uint8Array>>;
}

/** The captions of a video in one language. */
export interface CaptionsFile {
  /** BCP 47 tag. */
  lang: string;
  file: MediaFile;
}

type MediaError = "media_missing" | "media_refused" | "media_host_is_ip";

/** A file that cannot be used. `retry` tells whether trying later may help; if not, the delivery ends with `error`. */
export class MediaUnavailable extends Error {
  override name = "MediaUnavailable";
  readonly retry: boolean;
  readonly error: MediaError;
  /** When to continue, in epoch milliseconds, if nothing was tried. */
  readonly retryAt: number | undefined;
  constructor(message: string, retry: boolean, error: MediaError = "media_missing", retryAt?: number) {
    super(message);
    this.retryAt = retryAt;
    this.retry = retry;
    this.error = error;
  }
}
