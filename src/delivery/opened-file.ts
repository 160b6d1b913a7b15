// A file of a delivery after inspection, wherever it is stored.
import type { Bucket } from "../adapters/bucket.ts";
import type { RemoteReasons } from "../adapters/remote-fetch.ts";
import { fromBucket } from "../adapters/stored-inspection.ts";
import type { PlatformRule } from "../domain/posts/platform-rule.ts";
import type { FileCopy, SentFile } from "../domain/posts/sent-file.ts";
import type { MediaFile, MediaUnavailable } from "../networks/media-file.ts";

export type ConvertedFile = SentFile & { copy: FileCopy };

/** The purpose for which files are opened. */
export interface MediaUse {
  rule: PlatformRule;
  /** The delivery that owns the copies of the files, until `deleteCopies`. */
  deliveryId: string;
  /** Converted copies by the id of their file. A file without a copy is sent as it is. */
  copies: ReadonlyMap<string, ConvertedFile>;
  /** Copies nothing. For a file without a length, `bytes` is then a lower bound, and the file cannot be opened. */
  inspectOnly: boolean;
}

/** The inspected properties of a file, and how to read it. */
export type OpenedFile = Pick<
  MediaFile,
  "contentType" | "bytes" | "width" | "height" | "seconds" | "url" | "etag" | "open"
>;

/** Why a file cannot be used; each function completes a sentence that begins with the file. */
export interface Reasons extends RemoteReasons {
  gone(problem: string): MediaUnavailable;
  /** Permanent: the network does not accept such a file. */
  refused(problem: string): MediaUnavailable;
  uncallable(): MediaUnavailable;
  unreadable(problem: string): MediaUnavailable;
  /** Not tried: its host was called too often, and can be called again at `retryAt` (epoch milliseconds). */
  waiting(retryAt: number): MediaUnavailable;
}

/**
 * Returns how to read a stored file, and its address for networks. Both give exactly the content that `etag` names. `path` is
 * the path of its public address.
 */
export function storedFile(
  bucket: Bucket,
  { key, path, etag, contentType }: { key: string; path: string; etag: string; contentType: string },
  reasons: Reasons,
  changed: () => MediaUnavailable,
): Pick<MediaFile, "url" | "etag" | "open"> {
  return {
    etag,
    url: bucket.publicUrl(path, contentType, etag),
    async open(range) {
      // No byte has left yet: if opening the file fails inside a call, that call was never made.
      const body = await fromBucket(bucket.read(key, etag, range), reasons);
      if (body === null) throw changed();
      return body;
    },
  };
}
