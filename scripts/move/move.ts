// Moves a workspace to another database while it publishes. Publishing in progress continues. Between the lock and the
// switch nothing of the workspace is written, so nothing can be sent that is not recorded first, and new results wait with
// their publisher. Each step may be repeated: moving again resumes an interrupted move.
import type { Query } from "../query.ts";
import { copySettings } from "./settings.ts";
import { guards, OWN_TABLES, type OwnTable, WRITTEN_BY_TRIGGERS } from "./tables.ts";

/** A move that is not possible. */
export class MoveRefused extends Error {
  override name = "MoveRefused";
}

export interface Move {
  workspace: string;
  /** By database number. */
  databases: Query[];
  target: number;
  tell(text: string): void;
  /**
   * Resolves once no call that learned the old location before the switch still reads the old rows. If omitted, there are no
   * such calls.
   */
  letReadsEnd?(): Promise<void>;
}

/** Rows of one query. */
const ROWS_MAX = 2_000;
/** Half of what D1 accepts as one parameter; also the limit of one query. */
const BYTES_MAX = 1_000_000;

export async function moveWorkspace(move: Move): Promise<void> {
  const { workspace, databases, target, tell, letReadsEnd } = move;
  const [accounts] = databases;
  const to = databases[target];
  if (accounts === undefined || to === undefined) throw new MoveRefused(`There is no database ${target}.`);
  const [row] = await accounts("SELECT home FROM workspaces WHERE id = ?", workspace);
  if (row === undefined) {
    // The workspace was erased during the move, so the lock that protects its rows from erasure is removed.
    for (const database of databases)
      await database("DELETE FROM moving WHERE workspace_id = ? AND stage <> 'kept'", workspace);
    for (const database of databases.slice(1)) await database("DELETE FROM workspaces WHERE id = ?", workspace);
    throw new MoveRefused(`There is no workspace ${workspace}.`);
  }
  const stages = await Promise.all(databases.map((database) => findStage(database, workspace)));
  const home = Number(row.home);
  if (home !== target) {
    const from = databases[home];
    if (from === undefined) throw new MoveRefused(`The database ${home} of the workspace does not exist.`);
    const conflictingHome = stages.findIndex(
      (stage, i) => stage === "kept" || (stage !== null && i !== home && i !== target),
    );
    if (conflictingHome !== -1)
      throw new MoveRefused(
        `The database ${conflictingHome} has an unfinished earlier move of this workspace. Finish or confirm that move first.`,
      );
    // Everything that can be read in advance is read before the workspace is locked.
    const columns = await readColumns(from);
    await lock(from, to, workspace);
    tell("writes are held back");
    await copy(accounts, from, to, { workspace, target, columns });
    const count = await compareCopies(from, to, workspace, columns);
    tell(`${count} rows copied and compared`);
    // Copying takes minutes, and settings may change meanwhile. Posts must never be accepted under older settings.
    if (target !== 0) await copySettings(accounts, to, workspace);
    await goOver(accounts, from, { workspace, home, target });
    // Copies a change made between these two steps. From here on the new database is notified of changes.
    if (target !== 0) await copySettings(accounts, to, workspace);
  }
  await to("DELETE FROM moving WHERE workspace_id = ? AND stage = 'arriving'", workspace);
  // The sweeper passes the latest changes on to the new database.
  await accounts("UPDATE workspaces SET plan = plan WHERE id = ?", workspace);
  tell(`the workspace is now in the database ${target}`);
  for (const [i, database] of databases.entries()) {
    const stage = await findStage(database, workspace);
    if (i === target || (stage !== "leaving" && stage !== "retiring")) continue;
    // Locked rows may still be read. A reader must never see only some of them, or the event feed would skip the deleted
    // ones.
    if (stage === "leaving") await letReadsEnd?.();
    await retire(database, workspace, i);
    tell(`the old rows are kept in the database ${i} until the move is confirmed`);
  }
}

/** Deletes the rows that moves of a workspace have kept. */
export async function confirmMove({
  workspace,
  databases,
  tell,
}: Pick<Move, "workspace" | "databases" | "tell">): Promise<void> {
  for (const [i, database] of databases.entries()) {
    if ((await findStage(database, workspace)) !== "kept") continue;
    const next = "SELECT table_name, key FROM kept_rows WHERE workspace_id = ?1 LIMIT 1000";
    const some = `DELETE FROM kept_rows WHERE workspace_id = ?1 AND (table_name, key) IN (${next}) RETURNING 1 AS one`;
    while ((await database(some, workspace)).length > 0);
    await database("DELETE FROM moving WHERE workspace_id = ?", workspace);
    tell(`the old rows in the database ${i} are deleted`);
  }
}

async function findStage(db: Query, workspace: string): Promise<string | null> {
  const [row] = await db("SELECT stage FROM moving WHERE workspace_id = ?", workspace);
  return row === undefined ? null : String(row.stage);
}

async function lock(from: Query, to: Query, workspace: string): Promise<void> {
  for (const db of [from, to]) for (const sql of guards()) await db(sql);
  await to("INSERT OR IGNORE INTO moving (workspace_id, stage) VALUES (?, 'arriving')", workspace);
  await from("INSERT OR IGNORE INTO moving (workspace_id, stage) VALUES (?, 'leaving')", workspace);
}

interface Columns {
  names: string[];
  /** The columns of the key after the workspace. */
  key: string[];
}

async function readColumns(db: Query): Promise<Map<OwnTable, Columns>> {
  const columnsByTable = new Map<OwnTable, Columns>();
  for (const table of OWN_TABLES) {
    const columns = await db("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", table);
    const key = columns.filter(({ pk }) => Number(pk) > 1).sort((a, b) => Number(a.pk) - Number(b.pk));
    columnsByTable.set(table, {
      names: columns.map(({ name }) => String(name)),
      key: key.map(({ name }) => String(name)),
    });
  }
  return columnsByTable;
}

interface Page {
  /** Each row as JSON of its columns, with its key. */
  rows: { row: string; key: string }[];
  /** The key of the last row; null: there are no more rows. */
  next: string | null;
}

/**
 * A workspace's rows after a key, in key order: as many as fit into an answer of moderate size, and at least one. Two
 * databases with the same rows return the same pages.
 */
type PageOf = (db: Query, after: string) => Promise<Page>;
const FIRST = "[]";

function makePageReader({ names, key }: Columns, table: OwnTable, workspace: string): PageOf {
  const beyond = key.map((_, i) => `?2 ->> ${i}`).join(", ");
  const order = key.length === 0 ? "" : `ORDER BY ${key.join(", ")}`;
  // A table keyed by the workspace alone has one row per workspace.
  const isBehind = key.length === 0 ? "?2 = '[]'" : `(?2 = '[]' OR (${key.join(", ")}) > (${beyond}))`;
  const rows = `SELECT ${[...key, `${buildJsonArray(names)} AS content`, `json_array(${key.join(", ")}) AS row_key`].join(", ")}
    FROM ${table} WHERE workspace_id = ?1 AND ${isBehind} ${order} LIMIT ${ROWS_MAX}`;
  const sums = `SELECT *, COUNT(*) OVER () AS found, SUM(LENGTH(content)) OVER (${order} ROWS UNBOUNDED PRECEDING) AS total`;
  const sql = `SELECT content, row_key, found FROM (${sums} FROM (${rows})) WHERE total - LENGTH(content) < ${BYTES_MAX} ${order}`;
  return async (db, after) => {
    const page = await db(sql, workspace, after);
    const rowCount = Number(page[0]?.found ?? 0);
    const isLast = rowCount < ROWS_MAX && page.length === rowCount;
    const last = page.at(-1);
    return {
      rows: page.map(({ content, row_key }) => ({ row: String(content), key: String(row_key) })),
      next: isLast || last === undefined ? null : String(last.row_key),
    };
  };
}

/** D1 allows a function 32 arguments. */
const ARGUMENTS_MAX = 32;
function buildJsonArray(names: string[]): string {
  const parts: string[] = [];
  for (let i = 0; i < names.length; i += ARGUMENTS_MAX) {
    parts.push(`json_array(${names.slice(i, i + ARGUMENTS_MAX).join(", ")})`);
  }
  return `json_array(${parts.join(", ")})`;
}

async function copy(
  accounts: Query,
  from: Query,
  to: Query,
  { workspace, target, columns }: { workspace: string; target: number; columns: Map<OwnTable, Columns> },
) {
  if (target !== 0) {
    await copySettings(accounts, to, workspace);
    const { staged, drafts, bytes, feedFrom } = await readCounters(from, workspace);
    const counters = "staged_bytes = ?2, drafts = ?3, draft_bytes = ?4, feed_from = ?5";
    await to(`UPDATE workspaces SET ${counters} WHERE id = ?1`, workspace, staged, drafts, bytes, feedFrom);
  }
  for (const [table, ofTable] of columns) {
    if (WRITTEN_BY_TRIGGERS.includes(table)) await to(`DELETE FROM ${table} WHERE workspace_id = ?`, workspace);
    const { names } = ofTable;
    const values = names.map((_, i) => `value ->> '$[${Math.floor(i / ARGUMENTS_MAX)}][${i % ARGUMENTS_MAX}]'`);
    const insert = `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?)`;
    const pageOf = makePageReader(ofTable, table, workspace);
    for (let page = await pageOf(from, FIRST); ; ) {
      const { rows, next } = page;
      // The next rows are read while these are written.
      const [following] = await Promise.all([next === null ? null : pageOf(from, next), insertRows(to, insert, rows)]);
      if (following === null) break;
      page = following;
    }
  }
}

async function insertRows(to: Query, insert: string, page: Page["rows"]): Promise<void> {
  if (page.length === 0) return;
  for (const rows of inBytes(page.map(({ row }) => row))) await to(insert, `[${rows.join(",")}]`);
}

function inBytes(rows: string[]): string[][] {
  const groups: string[][] = [[]];
  let bytes = 0;
  for (const row of rows) {
    const length = new TextEncoder().encode(row).byteLength + 1;
    if (bytes + length > BYTES_MAX && bytes > 0) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(row);
    bytes += length;
  }
  return groups;
}

async function readCounters(db: Query, workspace: string) {
  const [row] = await db("SELECT staged_bytes, drafts, draft_bytes, feed_from FROM workspaces WHERE id = ?", workspace);
  const getCounter = (name: string) => String(row?.[name] ?? 0);
  return {
    staged: getCounter("staged_bytes"),
    drafts: getCounter("drafts"),
    bytes: getCounter("draft_bytes"),
    feedFrom: getCounter("feed_from"),
  };
}

/** Compares every row in both databases. Returns the number of rows. */
async function compareCopies(
  from: Query,
  to: Query,
  workspace: string,
  columns: Map<OwnTable, Columns>,
): Promise<number> {
  let count = 0;
  for (const [table, ofTable] of columns) {
    const pageOf = makePageReader(ofTable, table, workspace);
    for (let after: string | null = FIRST; after !== null; ) {
      const [page, copied]: Page[] = await Promise.all([pageOf(from, after), pageOf(to, after)]);
      if (page === undefined || JSON.stringify(copied) !== JSON.stringify(page))
        throw new MoveRefused(`The copy of ${table} differs from the original.`);
      count += page.rows.length;
      after = page.next;
    }
  }
  return count;
}

const NOTHING = { staged: "0", drafts: "0", bytes: "0", feedFrom: "0" };

/** Switches the workspace to its new database, together with its counters. */
async function goOver(
  accounts: Query,
  from: Query,
  { workspace, home, target }: { workspace: string; home: number; target: number },
): Promise<void> {
  const { staged, drafts, bytes, feedFrom } = target === 0 ? await readCounters(from, workspace) : NOTHING;
  const updatedRows = await accounts(
    `UPDATE workspaces SET home = ?3, staged_bytes = ?4, drafts = ?5, draft_bytes = ?6, feed_from = MAX(feed_from, CAST(?7 AS INTEGER))
      WHERE id = ?1 AND home IN (?2, ?3) RETURNING 1 AS one`,
    workspace,
    String(home),
    String(target),
    staged,
    drafts,
    bytes,
    feedFrom,
  );
  if (updatedRows.length === 0)
    throw new MoveRefused("The workspace was erased during the move. Run the move again to clean up.");
}

/** Sets the old rows aside, so that no scan of the database finds them. */
async function retire(from: Query, workspace: string, home: number): Promise<void> {
  await from("UPDATE moving SET stage = 'retiring' WHERE workspace_id = ?", workspace);
  for (const [table, { names, key }] of [...(await readColumns(from))].toReversed()) {
    const rowKey = `json_array(${key.map((name) => `${table}.${name}`).join(", ")})`;
    const some = `SELECT ${key.join(", ")} FROM ${table} WHERE workspace_id = ?1 ORDER BY ${key.join(", ")} LIMIT ${ROWS_MAX}`;
    const condition = key.length === 0 ? "workspace_id = ?1" : `workspace_id = ?1 AND (${key.join(", ")}) IN (${some})`;
    for (;;) {
      await from(
        `INSERT OR IGNORE INTO kept_rows (workspace_id, table_name, key, content)
          SELECT workspace_id, '${table}', ${rowKey}, ${buildJsonArray(names)} FROM ${table} WHERE ${condition}`,
        workspace,
      );
      const deletedRows = await from(
        `DELETE FROM ${table} WHERE ${condition} AND EXISTS (SELECT 1 FROM kept_rows k
          WHERE k.workspace_id = ?1 AND k.table_name = '${table}' AND k.key = ${rowKey}) RETURNING 1 AS one`,
        workspace,
      );
      if (deletedRows.length === 0) break;
    }
  }
  if (home !== 0) await from("DELETE FROM workspaces WHERE id = ?", workspace);
  await from("UPDATE moving SET stage = 'kept' WHERE workspace_id = ?", workspace);
}
