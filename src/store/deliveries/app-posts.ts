// Posts that one app makes on a network in a day, by all channels of all workspaces.
import { sql } from "drizzle-orm";
import { dayBegins, readAppDay, waitForNextDay } from "../../domain/posts/app-day.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import type { Database } from "../db/db.ts";
import { ANSWER_MAX_MS, inTime } from "../db/in-time.ts";
import { deliveries } from "../db/schema.ts";

interface Span {
  /** Epoch milliseconds, both included. */
  from: number;
  to: number;
  /** A post that is not counted; null: there is none yet. */
  except: { workspaceId: string; postId: string } | null;
}

/**
 * How many deliveries to `platform` went out in a span of time or are due in it, `most` at most. The platform is written out, not bound:
 * only so the index serves.
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

interface Deployment {
  databases: readonly Database[];
  pause(ms: number, signal: AbortSignal): Promise<void>;
  settings: { appPostsPerDay: Readonly<Partial<Record<string, number>>> };
}
interface DuePost {
  /** Epoch milliseconds. */
  dueAt: number;
  /** How many of its own deliveries come before it. */
  before: number;
  /** The post itself; null: it is not written yet. */
  post: Span["except"];
}

/**
 * Why a delivery may have to wait until its network's next day; null: there is room, or the network names no such number. A database that
 * does not answer counts as empty, for this only warns: whether there is room is the network's to say.
 */
export async function whyNextDay(
  { databases, pause, settings }: Deployment,
  rule: PlatformRule,
  { dueAt, before, post }: DuePost,
): Promise<string | null> {
  const day = readAppDay(rule, settings.appPostsPerDay);
  if (day === undefined) return null;
  const span = { from: dayBegins(day, dueAt), to: dueAt, except: post };
  const counts = await Promise.allSettled(
    databases.map((db) => inTime(pause, ANSWER_MAX_MS, countAppPosts(db, rule.platform, span, day.limit))),
  );
  const used = counts.reduce((sum, count) => sum + (count.status === "fulfilled" ? count.value : 0), before);
  return waitForNextDay(rule.platform, day, used, dueAt);
}
