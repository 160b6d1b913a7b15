// What a file of a delivery is once it was inspected, wherever it lies.
import type { Bucket } from "../adapters/bucket.ts";
import type { RemoteReasons } from "../adapters/remote-fetch.ts";
import { fromBucket } from "../adapters/stored-inspection.ts";
import type { PlatformRule } from "../domain/posts/platform-rule.ts";
import type { FileCopy, SentFile } from "../domain/posts/sent-file.ts";
import type { MediaFile, MediaUnavailable } from "../networks/media-file.ts";

export type ConvertedFile = SentFile & { copy: FileCopy };

/** What files are opened for. */
export interface MediaUse {
  rule: PlatformRule;
  /** Copies of files are its own, until `deleteCopies`. */
  deliveryId: string;
  /** Converted copies, by the id of their file; a file that has none goes out as it is. */
  copies: ReadonlyMap<string, ConvertedFile>;
  /** Nothing is copied: of a file without a length `bytes` is what it has at least, and it cannot be opened. */
  inspectOnly: boolean;
}

/** What is known of a file once it was inspected, and how it is read. */
export type OpenedFile = Pick<MediaFile, "contentType" | "bytes" | "width" | "height" | "seconds" | "url" | "open">;

/** Why a file cannot be used; each function completes a sentence that begins with the file. */
export interface Reasons extends RemoteReasons {
  gone(what: string): MediaUnavailable;
  /** For good: the network takes no such file. */
  refused(what: string): MediaUnavailable;
  uncallable(): MediaUnavailable;
  unreadable(what: string): MediaUnavailable;
  /** Nothing was tried: its host was called too often, and can be from then on (epoch milliseconds). */
  waiting(retryAt: number): MediaUnavailable;
}

/**
 * How a stored file is read, and where networks find it: both give exactly the content that `etag` names. `path`: of its public
 * address.
 */
export function storedFile(
  bucket: Bucket,
  { key, path, etag, contentType }: { key: string; path: string; etag: string; contentType: string },
  reasons: Reasons,
  changed: () => MediaUnavailable,
): Pick<MediaFile, "url" | "open"> {
  return {
    url: bucket.publicUrl(path, contentType, etag),
    async open(range) {
      // Not one byte has left: a call inside which the file is opened was never made.
      const body = await fromBucket(bucket.read(key, etag, range), reasons);
      if (body === null) throw changed();
      return body;
    },
  };
}
