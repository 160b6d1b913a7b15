// The verifications after publishing, brought forward: each is days away.

/** Has every live delivery that is to be verified once more be verified now. Returns how many there are. */
export async function bringForward(db: D1Database): Promise<number> {
  const { meta } = await db
    .prepare(
      "UPDATE deliveries SET check_at = unixepoch('subsec') * 1000 WHERE state = 'live' AND check_at IS NOT NULL",
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
