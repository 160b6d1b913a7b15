// The publisher of a channel: whether it is working, and a way to let its waits pass at once.
import { runInDurableObject } from "cloudflare:test";
import type { Publisher } from "../../src/objects/publisher.ts";
import { DATABASES, queryAll, testEnv } from "./env.ts";

/** Returns the publisher of a channel and its lane. */
export async function getPublisher(workspace: string, channel: string) {
  const [row] = await queryAll<{ lane: number }>(
    "SELECT lane FROM channels WHERE workspace_id = ? AND id = ?",
    workspace,
    channel,
  );
  const lane = row?.lane ?? 0;
  return { stub: testEnv.PUBLISHER.getByName(`${workspace}:${lane}`), lane: { workspaceId: workspace, lane } };
}

/** Whether a publisher has finished the work of its last alarm. */
export const isAtRest = (stub: Awaited<ReturnType<typeof getPublisher>>["stub"]): Promise<boolean> =>
  runInDurableObject(stub, async (publisher: Publisher, { storage }) => {
    const alarmAt = await storage.getAlarm();
    return !publisher.isAtWork && (alarmAt === null || alarmAt > Date.now());
  });

/** Makes a post older by `ms`, as if it had been created and sent earlier. */
export async function age(postId: string, ms: number): Promise<void> {
  const columns = `scheduled_for = scheduled_for - ?1, next_at = next_at - ?1,
    sends = json_replace(sends, '$[#-1].sent_at', (sends ->> '$[#-1].sent_at') - CAST(?1 AS INTEGER))`;
  for (const db of DATABASES) {
    await db.batch([
      db.prepare(`UPDATE deliveries SET ${columns} WHERE post_id = ?2`).bind(ms, postId),
      db.prepare("UPDATE posts SET due_at = due_at - ?1, publish_at = publish_at - ?1 WHERE id = ?2").bind(ms, postId),
      // The times of single channels.
      db
        .prepare(`UPDATE posts SET overrides = (SELECT json_group_object(key, json_patch(value, json_object('publish_at',
            strftime('%Y-%m-%dT%H:%M:%fZ', value ->> 'publish_at', ?1)))) FROM json_each(overrides))
          WHERE id = ?2 AND instr(overrides, '"publish_at":') > 0`)
        .bind(`-${ms / 1_000} seconds`, postId),
    ]);
  }
}

/**
 * Lets the time pass until the next look-up of a delivery that a network is processing or did not answer, and wakes the post's
 * publishers. It does nothing while a publisher is working. Retries and publishing times are not brought forward.
 */
export async function passWaits(postId: string): Promise<void> {
  const results = await queryAll<{ workspace: string; channel: string; at: number; waits: number }>(
    `SELECT d.workspace_id AS workspace, d.channel_id AS channel, d.next_at AS at,
       d.state IN ('staged', 'processing', 'reconciling') AS waits
     FROM deliveries d WHERE d.post_id = ? AND d.next_at IS NOT NULL`,
    postId,
  );
  const waiting = results.filter(({ waits }) => waits === 1);
  if (waiting.length === 0) return;
  const publishers = await Promise.all(results.map(({ workspace, channel }) => getPublisher(workspace, channel)));
  const atRest = await Promise.all(publishers.map(({ stub }) => isAtRest(stub)));
  if (atRest.includes(false)) return;
  const now = Date.now();
  await age(postId, Math.max(0, Math.min(...waiting.map(({ at }) => at)) - now));
  await Promise.all(publishers.map(({ stub, lane }) => stub.arm(lane, now)));
}
