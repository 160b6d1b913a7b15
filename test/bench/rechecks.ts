// Rechecks after publishing, which are moved forward because each is days away.

/**
 * Makes the recheck of one live post of each workspace due now, because the rechecks of a person's posts are due at
 * different times. Returns the number of deliveries.
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

/** The number of rechecks that are due and not done. */
export async function countDue(db: D1Database): Promise<number> {
  const row = await db
    .prepare("SELECT COUNT(*) AS due FROM deliveries WHERE check_at <= unixepoch('subsec') * 1000")
    .first<{ due: number }>();
  return row?.due ?? 0;
}
