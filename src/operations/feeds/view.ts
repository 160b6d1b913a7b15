import type * as z from "zod";
import type { Feed } from "../../contract/feeds.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import type { FeedRow } from "../../store/feeds.ts";

export const feedView = (row: FeedRow): z.input<typeof Feed> => ({
  id: row.id,
  name: row.name,
  url: row.url,
  channels: row.channels,
  labels: row.labels,
  template: row.template,
  draft: row.draft,
  publish_at: row.publishAt,
  interval_minutes: row.intervalMinutes,
  paused: row.nextReadAt === null,
  posts: row.posts,
  problem: row.problem === null ? null : { ...row.problem, at: isoInstant(row.problem.at) },
  last_read_at: isoOrNull(row.lastReadAt),
  next_read_at: isoOrNull(row.nextReadAt),
  created_at: isoInstant(row.createdAt),
});
