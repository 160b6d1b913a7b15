import { beforeAll, describe, expect, it } from "vitest";
import { INVARIANTS } from "../../../src/store/invariants.ts";
import { testEnv } from "../../support/env.ts";
import { brokenInvariants } from "../../support/invariants.ts";
import { connect, fault, finished, post, signUp, unique, uploadImage } from "../../support/world.ts";

/**
 * A workspace with a live post, a failed one, one with an unknown outcome and a waiting one, all with the same picture.
 */
let original: string;
beforeAll(async () => {
  const account = await signUp();
  const { key, workspace } = account;
  original = workspace;
  const channel = await connect(key, "telegram");
  const image = await uploadImage(account);
  const base = { media: [image.id], channels: [channel.id] };
  const send = { platform: "telegram", account: channel.handle, call: "sendPhoto" };
  const kicked = { ok: false, error_code: 403, description: "Forbidden: bot was kicked from the channel chat" };
  await finished(key, (await post(key, { text: "live", ...base }, { "idempotency-key": "live" })).id);
  await fault({ ...send, do: "status", status: 403, body: kicked });
  await finished(key, (await post(key, { text: "failed", ...base })).id);
  await fault({ ...send, do: "reset_after_accept" });
  await finished(key, (await post(key, { text: "unknown", ...base })).id);
  await post(key, { text: "waiting", ...base, publish_at: new Date(Date.now() + 86_400_000).toISOString() });
});

const TABLES = [
  "workspaces",
  "channels",
  "media",
  "posts",
  "deliveries",
  "media_uses",
  "usage_months",
  "idempotency_keys",
  "events",
];

/** Copies all rows of the original workspace to a new one. */
async function copyOriginal(): Promise<string> {
  const { DB } = testEnv;
  const copy = unique("ws_");
  const columns = await DB.batch<{ name: string }>(
    TABLES.map((table) => DB.prepare(`SELECT name FROM pragma_table_info('${table}')`)),
  );
  await DB.batch(
    TABLES.map((table, i) => {
      const owner = table === "workspaces" ? "id" : "workspace_id";
      const names = (columns[i]?.results ?? []).map(({ name }) => name);
      const values = names.map((name) => (name === owner ? "?2" : name));
      const select = `SELECT ${values.join(", ")} FROM ${table} WHERE ${owner} = ?1`;
      return DB.prepare(`INSERT INTO ${table} (${names.join(", ")}) ${select}`).bind(original, copy);
    }),
  );
  return copy;
}

/** Selects the delivery of the post with this text. */
const whereDelivery = (text: string) =>
  `workspace_id = ?1 AND post_id = (SELECT id FROM posts WHERE workspace_id = ?1 AND text = '${text}')`;
/** Adds work to the delivery of the post with this text. */
const insertWork = (text: string, state: string, kind = "playlist", publishKey = "NULL") =>
  `INSERT INTO follow_ups (workspace_id, post_id, channel_id, kind, state, publish_key)
    SELECT workspace_id, post_id, channel_id, '${kind}', '${state}', ${publishKey} FROM deliveries WHERE ${whereDelivery(text)}`;
/** Adds a thread part to the delivery of the post with this text. */
const insertPart = (text: string, position: number, id: string, publishKey = "NULL") =>
  `INSERT INTO thread_parts (workspace_id, post_id, channel_id, position, network_id, url_state, published_at, attempts, publish_key)
    SELECT workspace_id, post_id, channel_id, ${position}, '${id}', 'none', 1, 1, ${publishKey} FROM deliveries WHERE ${whereDelivery(text)}`;
const HOUR = 3_600_000;
const ago = (hours: number) => Date.now() - hours * HOUR;

describe("the audit of a database", () => {
  it.each<[string, string]>([
    [
      "due_work_is_taken",
      `UPDATE deliveries SET sends = json_replace(sends, '$[#-1].sent_at', (sends ->> '$[#-1].sent_at') - ${HOUR}), next_at = CASE WHEN ${whereDelivery("waiting")} THEN ${ago(0.1)} ELSE next_at END
        WHERE workspace_id = ?1`,
    ],
    ["deliveries_end", `UPDATE deliveries SET scheduled_for = ${ago(27)} WHERE ${whereDelivery("waiting")}`],
    ["unfinished_work_has_a_time", `UPDATE deliveries SET next_at = NULL WHERE ${whereDelivery("waiting")}`],
    ["unfinished_work_has_a_time", `UPDATE deliveries SET next_at = 8e15 WHERE ${whereDelivery("live")}`],
    ["live_is_on_the_network", `UPDATE deliveries SET network_post = NULL WHERE ${whereDelivery("live")}`],
    ["live_is_on_the_network", `UPDATE deliveries SET published_at = NULL WHERE ${whereDelivery("live")}`],
    ["failures_say_why", `UPDATE deliveries SET last_try = NULL WHERE ${whereDelivery("failed")}`],
    [
      "failures_say_why",
      `UPDATE deliveries SET last_try = json_set(last_try, '$.error', 'outcome_unknown') WHERE ${whereDelivery("failed")}`,
    ],
    [
      "failures_say_why",
      `UPDATE deliveries SET last_try = json_set(last_try, '$.error', 'content_refused') WHERE ${whereDelivery("unknown")}`,
    ],
    ["sends_are_written_ahead", `UPDATE deliveries SET sends = '[]' WHERE ${whereDelivery("live")}`],
    ["failures_say_why", `UPDATE deliveries SET sends = '[]' WHERE ${whereDelivery("unknown")}`],
    ["facts_have_their_form", `UPDATE deliveries SET network_post = '{}' WHERE ${whereDelivery("waiting")}`],
    ["facts_have_their_form", `UPDATE deliveries SET sends = '[{"sent_at":"soon"}]' WHERE ${whereDelivery("waiting")}`],
    ["parts_are_on_the_network", insertPart("live", 0, "other")],
    ["parts_are_on_the_network", insertPart("live", 1, "77")],
    ["parts_are_on_the_network", insertPart("waiting", 0, "77")],
    ["live_is_on_the_network", `UPDATE deliveries SET published_at = 1 WHERE ${whereDelivery("failed")}`],
    [
      "sends_are_in_their_time",
      `UPDATE deliveries SET sends = json_set(sends, '$[0].sent_at', ${ago(1)}) WHERE ${whereDelivery("live")}`,
    ],
    ["sends_are_in_their_time", `UPDATE posts SET cancelled_at = ${ago(1)} WHERE workspace_id = ?1 AND text = 'live'`],
    ["sends_are_in_their_time", `UPDATE channels SET removed_at = ${ago(1)} WHERE workspace_id = ?1`],
    ["fencing_tokens_only_rise", `UPDATE deliveries SET fencing_token = 0 WHERE ${whereDelivery("live")}`],
    ["fencing_tokens_only_rise", `UPDATE deliveries SET version = 1 WHERE ${whereDelivery("live")}`],
    ["unfinished_work_is_found", `UPDATE posts SET due_at = due_at + 1 WHERE workspace_id = ?1 AND text = 'waiting'`],
    ["unfinished_work_is_found", `UPDATE posts SET status = 'failed' WHERE workspace_id = ?1 AND text = 'waiting'`],
    ["pending_work_is_found", insertWork("failed", "due")],
    ["pending_work_is_found", insertWork("waiting", "sending")],
    ["pending_work_is_found", insertWork("failed", "due", "takedown")],
    ["open_sends_stay_open", `UPDATE deliveries SET has_open_send = 1 WHERE ${whereDelivery("live")}`],
    ["open_sends_stay_open", `UPDATE deliveries SET has_open_send = 0 WHERE ${whereDelivery("unknown")}`],
    [
      "retries_are_bounded",
      `UPDATE deliveries SET last_try = json_set(last_try, '$.retries', 7) WHERE ${whereDelivery("failed")}`,
    ],
    ["ends_are_told", `DELETE FROM events WHERE ${whereDelivery("live")}`],
    ["ends_are_told", `DELETE FROM events WHERE ${whereDelivery("failed")}`],
    [
      "ends_are_told",
      `INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at)
        SELECT workspace_id, seq + 1000, id || 'x', event, post_id, channel_id, dedupe_key + 1, body, created_at FROM events WHERE ${whereDelivery("live")}`,
    ],
    [
      "ends_are_final",
      `UPDATE deliveries SET state = 'failed', last_try = json_object('error', 'media_missing') WHERE ${whereDelivery("live")}`,
    ],
    [
      "ends_are_final",
      `INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at)
        SELECT workspace_id, seq + 1000, id || 'x', 'delivery.failed', post_id, channel_id, dedupe_key, body, created_at FROM events WHERE ${whereDelivery("live")}`,
    ],
    ["posts_follow_deliveries", `UPDATE posts SET status = 'published' WHERE workspace_id = ?1 AND text = 'failed'`],
    ["posts_follow_deliveries", `UPDATE posts SET status = 'failed' WHERE workspace_id = ?1 AND text = 'waiting'`],
    ["posts_follow_deliveries", `UPDATE posts SET finished_at = NULL WHERE workspace_id = ?1 AND text = 'live'`],
    ["posts_follow_deliveries", `DELETE FROM deliveries WHERE ${whereDelivery("waiting")}`],
    ["keys_make_one_post", `UPDATE idempotency_keys SET post_id = 'post_gone' WHERE workspace_id = ?1`],
    [
      "keys_make_one_post",
      `INSERT INTO idempotency_keys SELECT workspace_id, 'other', post_id, fingerprint, created_at, NULL
        FROM idempotency_keys WHERE workspace_id = ?1`,
    ],
    ["keys_of_cancelled_posts_expire", `UPDATE idempotency_keys SET expires_at = 9e15 WHERE workspace_id = ?1`],
    ["months_count_posts", `UPDATE usage_months SET posts = posts + 1 WHERE workspace_id = ?1`],
    ["months_count_posts", `DELETE FROM usage_months WHERE workspace_id = ?1`],
    ["months_count_costs", `INSERT INTO spending VALUES (?1, '9999-12', '', 1)`],
    ["workspaces_count_bytes", `UPDATE workspaces SET staged_bytes = 0 WHERE id = ?1`],
    ["workspaces_count_bytes", `INSERT INTO discarded_objects VALUES (?1, 'm/x', 9e15, 1, NULL)`],
    ["workspaces_count_drafts", `UPDATE workspaces SET drafts = drafts + 1 WHERE id = ?1`],
    ["workspaces_count_drafts", `UPDATE posts SET draft_bytes = 1 WHERE workspace_id = ?1 AND text = 'live'`],
    ["used_files_stay", `UPDATE media SET expires_at = 9e15 WHERE workspace_id = ?1`],
    ["uses_follow_posts", `UPDATE media_uses SET finished_at = 1 WHERE ${whereDelivery("waiting")}`],
    ["gone_files_are_deleted", `UPDATE media SET expires_at = ${ago(2)} WHERE workspace_id = ?1`],
    ["gone_files_are_deleted", `INSERT INTO discarded_objects VALUES (?1, 'm/x', ${ago(2)}, 0, NULL)`],
    ["erased_workspaces_are_cleared", `INSERT INTO clearances (workspace_id, since) VALUES (?1, ${ago(2)})`],
    [
      "erased_workspaces_are_cleared",
      `INSERT INTO clearances (workspace_id, since, next_at) VALUES (?1, ${ago(26)}, ${ago(2)})`,
    ],
    ["deliveries_have_channels", `UPDATE deliveries SET platform = 'other' WHERE ${whereDelivery("live")}`],
    ["deliveries_have_channels", `DELETE FROM channels WHERE workspace_id = ?1`],
    ["secrets_are_sealed", `UPDATE channels SET credential = '{}' WHERE workspace_id = ?1`],
    ["publish_keys_are_sealed", `UPDATE deliveries SET publish_key = '{}' WHERE ${whereDelivery("live")}`],
    ["publish_keys_are_sealed", insertWork("live", "done", "first_comment", "'{}'")],
    ["publish_keys_are_sealed", insertPart("live", 0, "77", "'{}'")],
  ])("the invariant %s is broken by: %s", async (name, plant) => {
    const workspace = await copyOriginal();
    expect(await brokenInvariants(workspace)).toEqual([]);
    const { meta } = await testEnv.DB.prepare(plant).bind(workspace).run();
    expect(meta.changes).toBeGreaterThan(0);
    const broken = await brokenInvariants(workspace);
    expect(broken.filter((line) => line.startsWith(`${name}: `))).not.toEqual([]);
    // Removes the broken workspace, so that other tests do not find it.
    await testEnv.DB.batch([
      testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(workspace),
      testEnv.DB.prepare("DELETE FROM clearances WHERE workspace_id = ?").bind(workspace),
    ]);
  });

  it.each(INVARIANTS)("the query of $name does not scan a table again for each row of another", async ({ sql }) => {
    const { results } = await testEnv.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`).all<{
      id: number;
      parent: number;
      detail: string;
    }>();
    // Steps with the same parent are the loops of one query, the outermost first. A scan in a later step is repeated.
    const repeated = [...Map.groupBy(results, ({ parent }) => parent).values()].flatMap((steps) =>
      steps
        .filter(({ detail }) => /^(SCAN|SEARCH)/.test(detail))
        .slice(1)
        .filter(({ detail }) => detail.startsWith("SCAN")),
    );
    expect(repeated).toEqual([]);
    expect(results.filter(({ detail }) => /CORRELATED/.test(detail)).length).toBeLessThanOrEqual(3);
  });
});
