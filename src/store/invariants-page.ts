// Prepares the queries of `invariants.ts` for a few workspaces at a time: on all rows of a large database, they would
// exceed the time limit of a D1 statement.

/** The tables that the queries read, each with the column that names the workspace. */
const TABLES: Record<string, string> = {
  workspaces: "id",
  channels: "workspace_id",
  clearances: "workspace_id",
  connect_links: "workspace_id",
  deliveries: "workspace_id",
  discarded_objects: "workspace_id",
  events: "workspace_id",
  follow_ups: "workspace_id",
  idempotency_keys: "workspace_id",
  media: "workspace_id",
  media_copies: "workspace_id",
  media_uses: "workspace_id",
  posts: "workspace_id",
  spending: "workspace_id",
  thread_parts: "workspace_id",
  usage_months: "workspace_id",
  webhook_messages: "workspace_id",
  webhooks: "workspace_id",
  workspace_keys: "workspace_id",
};

/** Workspaces by their ids: those after `after`, up to `upTo`; null: no limit on that side. */
export interface WorkspacePage {
  after: string | null;
  upTo: string | null;
}

/** The query that finds the ends of pages of this many workspaces. */
export const pageEnds = (size: number): string =>
  `SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM workspaces) WHERE n % ${size} = 0`;

/** The pages between these ends. Together they cover every possible id, including those of deleted workspaces. */
export function toPages(ends: readonly string[]): WorkspacePage[] {
  return [...ends, null].map((upTo, i) => ({ after: ends[i - 1] ?? null, upTo }));
}

/** Limits the query `sql` to one page: every table in it has only the rows of the page. */
export function toPageQuestion(sql: string, { after, upTo }: WorkspacePage): string {
  const quote = (id: string) => `'${id.replaceAll("'", "''")}'`;
  const tables = Object.entries(TABLES).flatMap(([table, column]) => {
    const bounds = [
      ...(after === null ? [] : [`${column} > ${quote(after)}`]),
      ...(upTo === null ? [] : [`${column} <= ${quote(upTo)}`]),
    ];
    if (bounds.length === 0 || !new RegExp(`\\b${table}\\b`).test(sql)) return [];
    return [`${table} AS (SELECT * FROM main.${table} WHERE ${bounds.join(" AND ")})`];
  });
  return tables.length === 0 ? sql : `WITH ${tables.join(", ")} ${sql}`;
}
