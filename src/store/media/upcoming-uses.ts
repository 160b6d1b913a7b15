// Finds where a file is still to be published.
import { and, eq, sql } from "drizzle-orm";
import { UNSENT } from "../../domain/delivery/transitions.ts";
import type { PostType } from "../../domain/posts/platform-rule.ts";
import type { Database } from "../db/db.ts";
import { deliveries, mediaUses, posts } from "../db/schema.ts";
import { isInState } from "../deliveries/moves.ts";

export interface UpcomingUse {
  channelId: string;
  platform: string;
  postType: PostType | null;
  /** One of the posts that publish it this way. */
  postId: string;
}

/** The channels on which a scheduled post will publish a file, by post type. */
export async function upcomingUses(db: Database, workspaceId: string, mediaId: string): Promise<UpcomingUse[]> {
  const selectOverride = (name: string) =>
    sql`json_extract(${posts.overrides}, '$."' || ${deliveries.channelId} || '".${sql.raw(name)}')`;
  const inThread = sql`SELECT 1 FROM json_each(COALESCE(${selectOverride("thread")}, ${posts.thread}, '[]')) AS part
    CROSS JOIN json_each(COALESCE(part.value -> '$.media', '[]')) AS file WHERE file.value = ${mediaId}`;
  return db
    .select({
      channelId: deliveries.channelId,
      platform: deliveries.platform,
      postType: posts.postType,
      postId: sql<string>`MIN(${posts.id})`.as("post"),
    })
    .from(mediaUses)
    .innerJoin(posts, and(eq(posts.workspaceId, mediaUses.workspaceId), eq(posts.id, mediaUses.postId)))
    .innerJoin(
      deliveries,
      and(eq(deliveries.workspaceId, mediaUses.workspaceId), eq(deliveries.postId, mediaUses.postId)),
    )
    .where(
      and(
        eq(mediaUses.workspaceId, workspaceId),
        eq(mediaUses.mediaId, mediaId),
        eq(posts.status, "scheduled"),
        isInState(UNSENT),
        sql`(EXISTS (SELECT 1 FROM json_each(COALESCE(${selectOverride("media")}, ${posts.media})) WHERE value = ${mediaId})
          OR EXISTS (${inThread}))`,
      ),
    )
    .groupBy(deliveries.channelId, deliveries.platform, posts.postType)
    .orderBy(deliveries.channelId);
}
