// A post as a line of the archive (docs/operations.md#the-archive).
import { additionsOf, additionsView } from "../domain/delivery/additions.ts";
import { commentStatus } from "../domain/delivery/first-comment.ts";
import { livePartsOf } from "../domain/delivery/thread.ts";
import { STATUS_OF } from "../domain/delivery/transitions.ts";
import { isoInstant, isoOrNull } from "../domain/instant.ts";
import { METRICS } from "../domain/metrics.ts";
import type { MeasurementRow, OldPost } from "../store/posts/archive.ts";

type DeliveryRow = OldPost["deliveries"][number];

/** The same post makes the same line, whenever it is asked. */
export function archiveLine({ post, deliveries, measurements }: OldPost): string {
  const measured = new Map(measurements.map((row) => [row.channelId, row]));
  return JSON.stringify({
    id: post.id,
    workspace: post.workspaceId,
    status: post.status,
    text: post.text,
    media: post.media,
    channels: post.channels,
    overrides: post.overrides,
    thread: post.thread,
    post_type: post.postType,
    metadata: post.metadata,
    publish_at: isoOrNull(post.publishAt),
    timezone: post.timezone,
    idempotency_key: post.idempotencyKey,
    created_at: isoInstant(post.createdAt),
    updated_at: isoInstant(post.updatedAt),
    cancelled_at: isoOrNull(post.cancelledAt),
    finished_at: isoOrNull(post.finishedAt),
    deliveries: deliveries.map((row) => deliveryOf(row, measured.get(row.channelId))),
  });
}

const deliveryOf = (row: DeliveryRow, measured: MeasurementRow | undefined) => ({
  id: row.id,
  channel: row.channelId,
  platform: row.platform,
  status: STATUS_OF[row.state],
  error: row.error,
  detail: row.detail,
  attempts: row.attempts,
  network_id: row.netPostId,
  url: row.url,
  parts:
    row.parts === null
      ? null
      : livePartsOf(row).map(({ id, url, removed }) => ({ network_id: id, url, removed: removed === true })),
  first_comment: row.commentState === null ? null : commentStatus(row.commentState),
  additions: additionsView(additionsOf(row)),
  readback: row.readback,
  scheduled_for: isoOrNull(row.scheduledFor),
  started_at: isoOrNull(row.startedAt),
  published_at: isoOrNull(row.publishedAt),
  checked_at: isoOrNull(row.checkedAt),
  metrics: measured === undefined ? null : Object.fromEntries(METRICS.map((figure) => [figure, measured[figure]])),
  measured_at: measured === undefined ? null : isoOrNull(measured.measuredAt),
});
