// Copies of files that cannot be streamed from their address (-> remote-file.ts). Each file is streamed into the bucket in
// chunks and then sent like an upload. A note for its deletion is written before the copy begins; the copy is deleted when
// its delivery ends, or by that note after a crash. R2 itself drops the chunks of an incomplete copy after seven days.
import { copyRemote, type RemoteAddress } from "../adapters/remote-fetch.ts";
import { fromBucket, inspectCopy } from "../adapters/stored-inspection.ts";
import type { Context } from "../context.ts";
import { DAY_MS, MINUTE_MS, VIDEO_BYTES_MAX } from "../domain/limits.ts";
import { uploadBytesMax } from "../domain/media/types.ts";
import type { MediaKind, PlatformRule } from "../domain/posts/platform-rule.ts";
import type { MediaRow } from "../store/media/media.ts";
import { noteCopy } from "../store/media/staging.ts";
import { type MediaUse, type OpenedFile, type Reasons, storedFile } from "./opened-file.ts";

/** The time limit of one copy. */
const COPY_MAX_MS = 2 * MINUTE_MS;
/** How long a delivery waits for the copies of other deliveries before it is retried later. */
const QUEUE_WAIT_MS = MINUTE_MS;
const QUEUE_POLL_MS = 200;
/**
 * How long a copy lives after its last use: a delivery is retried for a day, and its uploads continue with the same bytes.
 */
const COPY_LIFE_MS = DAY_MS + 15 * MINUTE_MS;

const buildObjectKey = (workspaceId: string, deliveryId: string, mediaId: string) =>
  `m/${workspaceId}/${deliveryId}/${mediaId}`;

/** Opens the copy of a file, and makes it unless an earlier attempt of the delivery has. Throws `MediaUnavailable`. */
export async function openCopy(
  ctx: Context,
  row: MediaRow,
  { rule, deliveryId }: MediaUse,
  reasons: Reasons,
  address: RemoteAddress,
): Promise<OpenedFile> {
  const { bucket } = ctx;
  if (bucket === null) {
    throw reasons.gone(
      "names no length at its address, and this deployment has no bucket to copy it to: serve it with Content-Length",
    );
  }
  const key = buildObjectKey(row.workspaceId, deliveryId, row.id);
  await noteCopy(ctx.databaseOf(row.workspaceId), { workspaceId: row.workspaceId, objectKey: key }, COPY_LIFE_MS);
  const bytesMax = copyBytesMax(rule, row.kind);
  const copy =
    (await fromBucket(bucket.stat(key), reasons)) ??
    (await oneAtATime(ctx, reasons, () =>
      copyRemote(address, { bucket, key, kind: row.kind, bytesMax, timeoutMs: COPY_MAX_MS }, reasons),
    ));
  if (copy === null) throw reasons.refused(`has more than the ${bytesMax} bytes that can be taken`);
  const { bytes, contentType, etag } = copy;
  const changed = () => reasons.unreadable("lost its copy");
  return {
    contentType,
    bytes,
    ...(await inspectCopy(bucket, key, copy, reasons)),
    ...storedFile(bucket, { key, path: key, etag, contentType }, reasons, changed),
  };
}

/**
 * Deletes the copies of `rows` that an ended delivery made. Their notes stay, and also delete a copy that another session is
 * still making.
 */
export async function deleteCopies(
  { bucket }: Context,
  { workspaceId, id }: { workspaceId: string; id: string },
  rows: MediaRow[],
): Promise<void> {
  const keys = rows.filter(({ objectKey }) => objectKey === null).map((row) => buildObjectKey(workspaceId, id, row.id));
  if (keys.length > 0) await bucket?.delete(keys);
}

/** The largest file of `kind` that the network accepts in any post, capped at our own storage limit. */
function copyBytesMax(rule: PlatformRule, kind: MediaKind): number {
  // Captions are always uploaded.
  if (kind === "captions") return uploadBytesMax(kind);
  const ofKind = rule[kind] ?? null;
  if (ofKind === null) return uploadBytesMax(kind);
  const limits = [
    ofKind,
    ...Object.values(ofKind.per_format ?? {}),
    ...Object.values(rule.per_type).map((typeRule) => typeRule[kind]),
  ];
  return Math.min(VIDEO_BYTES_MAX, Math.max(...limits.map((limit) => limit?.max_bytes ?? 0)));
}

/**
 * When the copy under way in this isolate must have ended, in epoch milliseconds. It is a time and not a promise, because the
 * object that makes the copy may end at any moment, and other objects wait no longer than its time limit.
 */
let busyUntil = 0;

/** Runs `work` while no other copy is made in this isolate, because each copy holds a chunk of its file in memory. */
async function oneAtATime<Result>(ctx: Context, reasons: Reasons, work: () => Promise<Result>): Promise<Result> {
  const isBusy = () => busyUntil > ctx.now() && busyUntil <= ctx.now() + COPY_MAX_MS;
  for (let waitedMs = 0; isBusy(); waitedMs += QUEUE_POLL_MS) {
    if (waitedMs >= QUEUE_WAIT_MS) throw reasons.unreadable("waits for other files to be copied");
    await ctx.pause(QUEUE_POLL_MS);
  }
  const until = ctx.now() + COPY_MAX_MS;
  busyUntil = until;
  try {
    return await work();
  } finally {
    if (busyUntil === until) busyUntil = 0;
  }
}
