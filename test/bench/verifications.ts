// The verifications after publishing, brought forward: each is days away.

/**
 * Has one live post of each workspace be verified now: a person's posts are due for it at different times. Returns how many
 * deliveries these are.
 */
export async function bringForward(db: D1Database): Promise<number> {
  const { meta } = await db
    .prepare(
      `UPDATE deliveries SET check_at = unixepoch('subsec') * 1000 WHERE state = 'live' AND check_at IS NOT NULL
        AND (workspace_id, post_id) IN (SELECT workspace_id, MIN(post_id) FROM deliveries
          WHERE state = 'live' AND check_at IS NOT NULL GROUP BY workspace_id)`,
    )
    .run();
  return meta.changes;
}

/** How many are due and not done. */
export async function countDue(db: D1Database): Promise<number> {
  const row = await db
    .prepare("SELECT COUNT(*) AS due FROM deliveries WHERE check_at <= unixepoch('subsec') * 1000")
    .first<{ due: number }>();
  return row?.due ?? 0;
}
