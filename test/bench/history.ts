// Posts that were published long ago, with all of their rows in the database.

import type { Actor } from "../../src/domain/actor.ts";

export interface HistoryInput {
  workspace: string;
  channels: { id: string; platform: string }[];
  /** The number of posts, which take turns on the channels. */
  posts: number;
}

const CHUNK = 5_000;

/** Their author, in the form that posts and events have for a workspace key. */
const ACTOR = `'${JSON.stringify({ kind: "key", id: `key_00${"1".repeat(24)}`, name: "production" } satisfies Actor)}'`;

export async function fillHistory(db: D1Database, { workspace, channels, posts }: HistoryInput): Promise<void> {
  for (let from = 0; from < posts; from += CHUNK) {
    const to = Math.min(posts, from + CHUNK);
    const numbers = "WITH RECURSIVE n (i) AS (SELECT ?2 + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)";
    // Ids that sort before every current ULID, and instants a year ago, one minute apart.
    const post = "printf('post_00%024d', i)";
    const instant = "1760000000000 + i * 60000";
    const readField = (field: string) =>
      `json_extract(?4, '$[' || CAST(i % ${channels.length} AS INTEGER) || '].${field}')`;
    const insert = (sql: string) => db.prepare(sql).bind(workspace, from, to, JSON.stringify(channels));
    await db.batch([
      insert(
        `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at,
            timezone, counted_month, created_at, updated_at, finished_at, author) ${numbers}
          SELECT ?1, ${post}, 'published', 'What was said a while ago, number ' || i, '[]', json_array(${readField("id")}), '{}', '{}',
            ${instant}, ${instant}, 'UTC', '2025-10', ${instant}, ${instant}, ${instant}, ${ACTOR} FROM n`,
      ),
      insert(
        `INSERT INTO deliveries (workspace_id, post_id, channel_id, id, platform, state, version, fencing_token,
            scheduled_for, sends, publish_key, network_post, started_at, published_at, success_seq) ${numbers}
          SELECT ?1, ${post}, ${readField("id")}, printf('dlv_00%024d', i), ${readField("platform")}, 'live', 4, 1, ${instant},
            json_array(json_object('fencing_token', 1, 'payload_hash', hex(randomblob(32)), 'sent_at', ${instant})),
            'v1.local.' || hex(randomblob(70)),
            json_object('id', 'id-' || i, 'url', 'https://example.com/' || i, 'urlState', 'none', 'checkedAt', ${instant}),
            ${instant}, ${instant}, i FROM n`,
      ),
      insert(
        `INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at) ${numbers}
          SELECT ?1, i, printf('evt_00%024d', i), 'delivery.succeeded', ${post}, ${readField("id")}, 1, json_object(
              'id', printf('evt_00%024d', i), 'event', 'delivery.succeeded', 'post', ${post}, 'channel', ${readField("id")},
              'platform', ${readField("platform")}, 'delivery', printf('dlv_00%024d', i), 'attempt', 1,
              'url', 'https://example.com/' || i, 'error', NULL, 'action', NULL, 'next_attempt_at', NULL,
              'altered', NULL, 'approval', NULL, 'metadata', json_object(), 'actor', json(${ACTOR}), 'created_at', '2025-10-09T08:00:00.000Z'), ${instant} FROM n`,
      ),
      insert(
        `INSERT INTO measurements (workspace_id, post_id, channel_id, platform, day, measured_at, views, likes, comments) ${numbers}
          SELECT ?1, ${post}, ${readField("id")}, ${readField("platform")}, ${instant} / 86400000, ${instant}, i, i % 100, i % 10 FROM n
          WHERE ${readField("platform")} <> 'telegram'`,
      ),
    ]);
  }
}
