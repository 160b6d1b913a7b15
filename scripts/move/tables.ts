// The tables with workspaces' own rows, and what keeps them from being written while their workspace is moved.

/** In the order in which rows can be inserted; all else with a workspace in it belongs to the accounts. */
export const OWN_TABLES = [
  "channels",
  "connector_requests",
  "media",
  "media_uses",
  "media_copies",
  "discarded_objects",
  "posts",
  "deliveries",
  "idempotency_keys",
  "usage_months",
  "events",
  "webhooks",
  "webhook_messages",
  "webhook_attempts",
  "measurements",
  "published_days",
  "measured_days",
  "slots",
  "notices",
  "labels",
  "post_terms",
  "published_counts",
  "spending",
  "workspace_audit",
] as const;
export type OwnTable = (typeof OWN_TABLES)[number];

/**
 * Tables that triggers write when rows of others are copied: they come last, are cleared of that before they are copied
 * themselves, and may be written while their workspace arrives.
 */
export const WRITTEN_BY_TRIGGERS: readonly OwnTable[] = [
  "notices",
  "labels",
  "post_terms",
  "published_counts",
  "spending",
];

/** Stages of `moving` in which rows of a workspace are not to be written so. */
const REFUSED = {
  INSERT: ["leaving", "retiring", "kept"],
  UPDATE: ["arriving", "leaving", "retiring", "kept"],
  DELETE: ["arriving", "leaving"],
};

/**
 * Triggers that refuse what must not be written: by whatever version of the Worker, also by one that read where the workspace
 * is a while ago. They stay: who took them away could do so under another move that has just begun.
 */
export function guards(): string[] {
  return OWN_TABLES.flatMap((table) => [
    // A call that outlives the confirmation of a move does not write where the workspace was: its row among the accounts says so.
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
