// Counts the posts that one app makes on a network in a day, across all channels of all workspaces.
import { sql } from "drizzle-orm";
import type { Database } from "../db/db.ts";
import { ANSWER_MAX_MS, inTime } from "../db/in-time.ts";
import { deliveries } from "../db/schema.ts";

interface Span {
  /** Epoch milliseconds, both inclusive. */
  from: number;
  to: number;
  /** A post that is not counted; null: no post is excluded. */
  except: { workspaceId: string; postId: string } | null;
}

/**
 * Counts the deliveries to `platform` that were published or are due in a period, up to `most`. The platform is inlined
 * rather than bound, because SQLite uses the index only then.
 */
export async function countAppPosts(
  db: Database,
  platform: string,
  { from, to, except }: Span,
  most: number,
): Promise<number> {
  const counted = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(
      sql`${deliveries.platform} = ${sql.raw(`'${platform}'`)}
        AND coalesce(${deliveries.nextAt}, ${deliveries.publishedAt}) BETWEEN ${from} AND ${to}
        AND (${deliveries.workspaceId}, ${deliveries.postId}) <> (${except?.workspaceId ?? ""}, ${except?.postId ?? ""})`,
    )
    .limit(most)
    .as("counted");
  const [row] = await db.select({ count: sql<number>`count(*)` }).from(counted);
  return row?.count ?? 0;
}

/**
 * Like `countAppPosts`, for each database of a deployment; null for a database that does not answer in time. `pause`: see
 * `inTime`.
 */
export async function countAppPostsOfEach(
  databases: readonly Database[],
  pause: (ms: number, signal: AbortSignal) => Promise<void>,
  { platform, ...span }: Span & { platform: string },
  most: number,
): Promise<(number | null)[]> {
  const counts = await Promise.allSettled(
    databases.map((db) => inTime(pause, ANSWER_MAX_MS, countAppPosts(db, platform, span, most))),
  );
  return counts.map((count) => (count.status === "fulfilled" ? count.value : null));
}
