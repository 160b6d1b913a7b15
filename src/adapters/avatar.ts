// Copies the picture of an account from its network. The network names the address, so the picture is fetched like any other
// address that is not ours, and judged by its content.
import { detectContentType, HEIC, uploadType } from "../domain/media/types.ts";
import type { Bucket, StoredFile } from "./bucket.ts";
import type { Call } from "./outbound.ts";
import { remoteAddress } from "./remote-fetch.ts";

/** Networks return pictures of at most a few hundred kilobytes. */
const AVATAR_BYTES_MAX = 2 * 1024 * 1024;
/** A person who connects an account waits for this. */
const TIMEOUT_MS = 5_000;

const failing = (reason: string) => new Error(reason);
const REASONS = { gone: failing, unreadable: failing, uncallable: () => failing("is at an IP address") };

/** The type of a picture that every browser shows. Throws for any other content. */
function detectPicture(head: Uint8Array): string {
  const type = detectContentType(head);
  if (type === null || type === HEIC || uploadType(type)?.kind !== "image") throw failing("is not a picture");
  return type;
}

/** Copies the picture at an address into the bucket. Returns null if that fails for any reason. */
export async function copyAvatar(
  call: Call,
  url: string,
  { bucket, key }: { bucket: Bucket; key: string },
): Promise<StoredFile | null> {
  try {
    return await remoteAddress(call, url, REASONS).read({}, TIMEOUT_MS, async ({ body }) =>
      body === null ? null : bucket.store(key, body, AVATAR_BYTES_MAX, detectPicture),
    );
  } catch {
    return null;
  }
}
