// Stored summaries: the status of a post, the counts of published posts by day, and the number of posts in a month.
import { type DeliveryState, isEnded } from "../../src/domain/delivery/transitions.ts";
import { getState, number } from "./checks-always.ts";
import type { Row } from "./database.ts";
import type { Say } from "./promises.ts";
import type { World } from "./world.ts";

/** States in which the network has, or had, the post. */
const OUT: readonly DeliveryState[] = ["live", "handed_over", "removed"];

/** Invariants that compare the counts of a month with the posts in the database. */
const BY_MONTH = ["months_count_posts", "months_count_costs"];

/**
 * Whether an invariant counts posts whose rows are not in the database: they were created before the world, or they are in the
 * archive.
 */
export const isUncountable = ({ countedBefore, archive }: World, invariant: string): boolean =>
  BY_MONTH.includes(invariant) && (countedBefore.size > 0 || archive.posts.length > 0);

export function judgeStatuses(world: World, say: Say): void {
  for (const post of world.database.rows("SELECT * FROM posts")) judgeStatus(world, post, say);
}

/** A post's status follows from its deliveries. */
function judgeStatus({ database }: World, post: Row, say: Say): void {
  const rows = database.rows(
    "SELECT state, published_at FROM deliveries WHERE workspace_id = ? AND post_id = ?",
    String(post.workspace_id),
    String(post.id),
  );
  const states = rows.map(getState);
  if (post.status === "draft" || post.status === "awaiting_approval") {
    if (states.length > 0) say("moves_of_the_table", `${post.id} is ${post.status} with deliveries`);
    return;
  }
  // The post was cancelled while it waited.
  if (post.status === "cancelled" && states.length === 0) return;
  const out = states.filter((state) => OUT.includes(state)).length;
  const none = states.includes("cancelled") ? "cancelled" : "failed";
  // One part of a stopped thread is published.
  const isPartly = out > 0 || rows.some(({ published_at }) => published_at !== null);
  const ended = out === states.length ? "published" : isPartly ? "partially_published" : none;
  const expected = states.some((state) => !isEnded(state)) ? post.status : ended;
  if (post.status !== expected)
    say("moves_of_the_table", `${post.id} is ${post.status}, its deliveries say ${expected}`);
}

/**
 * Each published delivery is counted once, by day and network. The feed's places are summed 32 at a time, and the newest are
 * counted one by one. A month counts the posts that it holds.
 */
export function judgeCounts(world: World, say: Say): void {
  const archived = world.archive.deliveries.filter(
    ({ state, success_seq }) => state === "live" || (state === "removed" && success_seq !== null),
  );
  const liveInArchive = (workspace: unknown, platform: unknown) =>
    archived.filter((row) => row.workspace_id === workspace && row.platform === platform).length;
  const wrong = world.database.rows(`SELECT workspace_id, platform, SUM(counted) AS counted, SUM(live) AS live FROM (
      SELECT p.workspace_id, e.key AS platform, e.value AS counted, 0 AS live FROM published_counts p, json_each(p.counts) e
      UNION ALL SELECT e.workspace_id, e.body ->> '$.platform', 1, 0 FROM events e
      WHERE e.event = 'delivery.succeeded' AND e.seq >=
        (SELECT MAX(seq) FROM events f WHERE f.workspace_id = e.workspace_id) / 32 * 32
      UNION ALL SELECT workspace_id, platform, 0, 1 FROM deliveries
        WHERE state = 'live' OR (state = 'removed' AND success_seq IS NOT NULL))
    GROUP BY workspace_id, platform`);
  for (const { workspace_id, platform, counted, live } of wrong) {
    const total = number(live) + liveInArchive(workspace_id, platform);
    if (number(counted) !== total) say("published_counts", `${counted} on ${platform} are counted, ${total} are live`);
  }
  for (const { workspace_id, month, posts, held } of world.database.rows(
    `SELECT workspace_id, month, posts, (SELECT COUNT(*) FROM posts p WHERE p.workspace_id = u.workspace_id AND counted_month = month) AS held
     FROM usage_months u`,
  ))
    if (
      number(posts) !==
      number(held) +
        (world.countedBefore.get(`${workspace_id} ${month}`) ?? 0) +
        world.archive.posts.filter((post) => post.workspace_id === workspace_id && post.counted_month === month).length
    )
      say("month_counts", `${month} counts ${posts} posts and holds ${held}`);
}
