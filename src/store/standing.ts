// Describes the rows that give access or cause something to be sent. Before a database is restored to an earlier time, the
// valid rows are recorded. After the restore, rows that have become valid again are stopped again (-> after-restore.ts).

import { POST_FIELD_NAMES } from "../domain/posts/post-fields.ts";

/** The table with the state before the restore, which is compared with the restored rows. */
export const STOOD_TABLE = "stood_before";
export const CREATE_STOOD_TABLE = `CREATE TABLE IF NOT EXISTS ${STOOD_TABLE} (
  kind TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID`;

/** A statement that returns a row for each row that it changes, and a description of these rows. */
export interface Change {
  says: string;
  sql: string;
}

export interface Standing {
  /** What its rows are recorded as; absent: the name of the table. */
  kind?: string;
  table: string;
  key: string[];
  /** Columns that are recorded with the key. */
  columns: string[];
  /** Selects the valid rows. */
  where: string;
  /** How a row that must not be valid again is stopped; null: other code decides that. */
  stop: "delete" | "revoke" | "revoke and unseal" | "remove" | null;
  /** Whether the recorded columns replace those of the restored row. */
  isKept?: boolean;
  /** Whether rows that are missing after the restore are added, because people would lose their access without them. */
  isPutBack?: boolean;
}

/** The states of a waiting delivery with no call in progress. */
export const WAITING_LIST = "('pending', 'staged', 'retry_wait')";

const deleted: Pick<Standing, "stop" | "columns" | "where"> = { stop: "delete", columns: [], where: "TRUE" };

/** The last post of each series that goes on. */
export const SERIES_STANDING: Standing = {
  kind: "series",
  table: "posts",
  key: ["workspace_id", "id"],
  columns: ["repeat_of", "status", "publish_at", "series", ...POST_FIELD_NAMES],
  where: "repeat_state = 'active'",
  stop: null,
};

/** Ordered so that a row comes after the rows that it references. */
export const STANDING: readonly Standing[] = [
  {
    table: "users",
    key: ["id"],
    columns: ["email", "password_hash", "email_verified_at"],
    where: "TRUE",
    stop: "delete",
    isKept: true,
  },
  {
    table: "workspaces",
    key: ["id"],
    columns: ["plan", "plan_status", "approval", "require_factor", "four_eyes", "rechecks", "budget", "link_tags"],
    where: "TRUE",
    stop: "delete",
    isKept: true,
  },
  { table: "identities", key: ["issuer", "subject"], ...deleted },
  { table: "sessions", key: ["token_hash"], ...deleted },
  // A code that was accepted since is not accepted again.
  { table: "factors", key: ["id"], columns: ["counter"], where: "TRUE", stop: "delete", isKept: true },
  { table: "recovery_codes", key: ["user_id", "hash"], ...deleted },
  { table: "factor_challenges", key: ["token_hash"], columns: [], where: "used_by IS NULL", stop: "delete" },
  { table: "reset_links", key: ["token_hash"], columns: [], where: "used_at IS NULL", stop: "delete" },
  { table: "address_links", key: ["token_hash"], ...deleted },
  {
    table: "members",
    key: ["workspace_id", "user_id"],
    columns: ["role", "created_at"],
    where: "TRUE",
    stop: "delete",
    isKept: true,
    isPutBack: true,
  },
  { table: "invitations", key: ["id"], ...deleted },
  { table: "review_links", key: ["token_hash"], ...deleted },
  {
    table: "portals",
    key: ["workspace_id", "id"],
    columns: ["channels", "labels", "expires_at"],
    where: "TRUE",
    stop: "delete",
    isKept: true,
  },
  { table: "reports", key: ["token_hash"], ...deleted },
  { table: "connect_links", key: ["id"], ...deleted },
  {
    table: "workspace_keys",
    key: ["workspace_id", "id"],
    columns: ["hash", "sealed", "created_at", "last_used_at"],
    where: "revoked_at IS NULL",
    stop: "revoke and unseal",
    isPutBack: true,
  },
  {
    table: "named_keys",
    key: ["workspace_id", "id"],
    columns: ["scopes", "channels", "expires_at", "budget"],
    where: "revoked_at IS NULL",
    stop: "revoke",
    isKept: true,
  },
  {
    table: "account_keys",
    key: ["id"],
    columns: ["scopes", "expires_at"],
    where: "revoked_at IS NULL",
    stop: "revoke",
    isKept: true,
  },
  { table: "oauth_grants", key: ["workspace_id", "id"], ...deleted },
  {
    table: "webhooks",
    key: ["workspace_id", "id"],
    columns: ["url", "events", "secret", "previous_secrets", "disabled_at", "disabled_reason"],
    where: "TRUE",
    stop: "delete",
    isKept: true,
  },
  {
    table: "channels",
    key: ["workspace_id", "id"],
    // A network may have renewed a credential since: only the newest one works.
    columns: ["credential", "credential_id", "token_expires_at", "renew_at", "warn_at", "lost_reason", "not_before"],
    where: "removed_at IS NULL",
    stop: "remove",
    isKept: true,
  },
  {
    table: "posts",
    key: ["workspace_id", "id"],
    columns: ["revision", "status"],
    where: "status IN ('draft', 'awaiting_approval', 'scheduled') AND cancelled_at IS NULL",
    stop: null,
  },
  SERIES_STANDING,
  {
    table: "deliveries",
    key: ["workspace_id", "post_id", "channel_id"],
    columns: ["state"],
    where: `state IN ${WAITING_LIST} OR state = 'cancelled'`,
    stop: null,
  },
  {
    table: "thread_parts",
    key: ["workspace_id", "post_id", "channel_id", "position"],
    columns: [],
    where: `EXISTS (SELECT 1 FROM deliveries WHERE deliveries.workspace_id = thread_parts.workspace_id
      AND deliveries.post_id = thread_parts.post_id AND deliveries.channel_id = thread_parts.channel_id AND state IN ${WAITING_LIST})`,
    stop: null,
  },
];

/** The recorded key of a row. */
export const keyOfRow = ({ table, key }: Pick<Standing, "table" | "key">): string =>
  `json_array(${key.map((column) => `${table}.${column}`).join(", ")})`;

/** A SELECT of all valid rows of one kind, as rows of `stood_before`. */
export const selectStanding = (standing: Standing): string => {
  const { table, kind = table, columns, where } = standing;
  const content = columns.map((column) => `'${column}', ${column}`).join(", ");
  return `SELECT '${kind}' AS kind, ${keyOfRow(standing)} AS key, json_object(${content}) AS content FROM ${table} WHERE ${where}`;
};
