// The tables with workspaces' own rows, and the guards that prevent writes while a workspace is moved.

/** In insertion order. All other data of a workspace belongs to the accounts database. */
export const OWN_TABLES = [
  "channels",
  "connector_requests",
  "channel_groups",
  "snippets",
  "feeds",
  "media",
  "media_uses",
  "media_copies",
  "discarded_objects",
  "posts",
  "deliveries",
  "thread_parts",
  "follow_ups",
  "comments",
  "idempotency_keys",
  "usage_months",
  "events",
  "webhooks",
  "webhook_messages",
  "webhook_attempts",
  "measurements",
  "measured_days",
  "slots",
  "notices",
  "labels",
  "post_terms",
  "published_counts",
  "spending",
  "media_terms",
  "workspace_audit",
] as const;
export type OwnTable = (typeof OWN_TABLES)[number];

/**
 * Tables that triggers write when rows of other tables are copied. They come last, are cleared of those rows before they are
 * copied, and may be written while their workspace arrives.
 */
export const WRITTEN_BY_TRIGGERS: readonly OwnTable[] = [
  "notices",
  "labels",
  "post_terms",
  "published_counts",
  "spending",
  "media_terms",
];

/** Stages of `moving` in which these writes to a workspace's rows are refused. */
const REFUSED = {
  INSERT: ["leaving", "retiring", "kept"],
  UPDATE: ["arriving", "leaving", "retiring", "kept"],
  DELETE: ["arriving", "leaving"],
};

/**
 * Triggers that refuse forbidden writes by any version of the Worker, including one that read the workspace's location a
 * while ago. They are never dropped, because dropping them could disable the guard of another move that has just started.
 */
export function guards(): string[] {
  return OWN_TABLES.flatMap((table) => [
    // A call that outlives the confirmation of a move must not write to the old database. The row in `workspaces` says
    // that the workspace has moved.
    `CREATE TRIGGER IF NOT EXISTS homed_${table}_insert BEFORE INSERT ON ${table}
      WHEN (SELECT home FROM workspaces WHERE id = NEW.workspace_id) <> 0
        AND NOT EXISTS (SELECT 1 FROM moving WHERE workspace_id = NEW.workspace_id AND stage = 'arriving')
      BEGIN SELECT RAISE(ABORT, 'workspace_moving'); END`,
    ...Object.entries(REFUSED).map(([act, stages]) => {
      const list = stages.filter((stage) => stage !== "arriving" || !WRITTEN_BY_TRIGGERS.includes(table));
      const row = act === "INSERT" ? "NEW" : "OLD";
      return `CREATE TRIGGER IF NOT EXISTS moving_${table}_${act.toLowerCase()} BEFORE ${act} ON ${table}
        WHEN EXISTS (SELECT 1 FROM moving WHERE workspace_id = ${row}.workspace_id
          AND stage IN (${list.map((stage) => `'${stage}'`).join(", ")}))
        BEGIN SELECT RAISE(ABORT, 'workspace_moving'); END`;
    }),
  ]);
}
