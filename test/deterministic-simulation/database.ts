// Crier's database binding over Node's own SQLite, with the migrations, real transactions and a clock that the simulation sets.
// Every committed change of a watched row is noted.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setClock } from "../support/database-clock.ts";
import { type Bound, makeBinding, type Row, type Value } from "../support/sqlite-binding.ts";
import { migrate } from "../support/sqlite-database.ts";

export type { Row, Value };

/** One committed change of one row. */
export interface Change {
  table: string;
  before: Row | null;
  after: Row | null;
}

const WATCHED = ["deliveries", "follow_ups", "events", "channels", "discarded_objects"] as const;

/**
 * SQLite's result code, as D1 names it (sqlite.org/rescode.html, read 2026-11-24). The bits above the lowest eight hold its
 * extension.
 */
function resultCode(error: unknown): string {
  const extended = error instanceof Error && "errcode" in error ? Number(error.errcode) : 1;
  return RESULT_CODES[extended & 0xff] ?? "SQLITE_ERROR";
}
const RESULT_CODES: Record<number, string> = {
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
  25: "SQLITE_RANGE",
};

/** How a call of the binding reaches the database: as a point of the scheduler. */
export type Gate = <Answer>(what: string, statements: Bound[], act: () => Answer) => Promise<Answer>;

export class SimulatedDatabase {
  readonly raw = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #tables: string[];
  #pending: Change[] = [];
  /** Epoch milliseconds. */
  now: () => number = () => 0;
  /** Called with each commit that changed a watched row. */
  committed: (changes: Change[]) => void = () => {};

  constructor() {
    // The time does not change within a statement, as in D1.
    setClock(this.raw, () => this.now(), true);
    this.raw.exec("PRAGMA foreign_keys = ON; PRAGMA journal_mode = MEMORY;");
    migrate(this.raw);
    this.raw.function("note", { varargs: true }, (table, before, after) => {
      this.#pending.push({
        table: String(table),
        before: before === null ? null : JSON.parse(String(before)),
        after: after === null ? null : JSON.parse(String(after)),
      });
      return null;
    });
    for (const table of WATCHED) this.#watch(table);
    this.#watch("posts", ["INSERT", "DELETE"]);
    this.#tables = this.#childrenFirst();
  }

  /** All tables. Each one comes before the tables that its rows refer to. */
  #childrenFirst(): string[] {
    const ordered = new Set<string>();
    const remaining = new Map(
      this.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").map(({ name }) => [
        String(name),
        this.rows(`PRAGMA foreign_key_list(${name})`).map((key) => String(key.table)),
      ]),
    );
    while (remaining.size > 0) {
      const parents = new Set(
        [...remaining].flatMap(([name, refersTo]) => refersTo.filter((parent) => parent !== name)),
      );
      const next = [...remaining.keys()].filter((name) => !parents.has(name));
      if (next.length === 0) throw new Error(`rows of ${[...remaining.keys()]} refer to each other`);
      for (const name of next) {
        ordered.add(name);
        remaining.delete(name);
      }
    }
    return [...ordered];
  }

  #watch(table: string, events: readonly string[] = ["INSERT", "UPDATE", "DELETE"]): void {
    const columns = this.rows(`PRAGMA table_info(${table})`).map(({ name }) => String(name));
    const row = (toJson: string) => `json_object(${columns.map((name) => `'${name}', ${toJson}.${name}`).join(", ")})`;
    for (const [event, before, after] of [
      ["INSERT", "NULL", row("NEW")],
      ["UPDATE", row("OLD"), row("NEW")],
      ["DELETE", row("OLD"), "NULL"],
    ])
      if (events.includes(String(event)))
        this.raw.exec(
          `CREATE TEMP TRIGGER watch_${table}_${event} AFTER ${event} ON main.${table} BEGIN SELECT note('${table}', ${before}, ${after}); END`,
        );
  }

  /** Deletes all rows. Foreign keys stay on, because switching them off makes SQLite compile every statement again. */
  empty(): void {
    for (const { name } of this.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'moving\\_%' ESCAPE '\\'",
    ))
      this.raw.exec(`DROP TRIGGER ${name}`);
    for (const table of this.#tables) this.#prepare(`DELETE FROM ${table}`).run();
    this.#pending = [];
  }

  /** Reads rows for the simulation itself, without an entry in the trace. */
  rows(sql: string, ...parameters: Value[]): Row[] {
    // SQLite has only these types.
    return this.#prepare(sql).all(...parameters) as Row[];
  }

  /** Changes rows for the simulation itself. */
  change(sql: string, ...parameters: Value[]): void {
    this.#transaction(() => this.#prepare(sql).run(...parameters));
  }

  /** A change of the database as a whole, such as a move or a restore. Checks are not told of it. */
  quietly(sql: string, ...parameters: Value[]): Row[] {
    const rows = this.rows(sql, ...parameters);
    this.#pending = [];
    return rows;
  }

  /** A copy of all rows, by table. */
  keepRows(): Map<string, Row[]> {
    return new Map(this.#tables.map((table) => [table, this.rows(`SELECT * FROM ${table}`)]));
  }

  /** Replaces all rows. Checks are not told of it. */
  putRows(kept: Map<string, Row[]>): void {
    const triggers = this.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
    for (const { name } of triggers) this.raw.exec(`DROP TRIGGER main.${name}`);
    for (const table of this.#tables) this.quietly(`DELETE FROM ${table}`);
    for (const table of this.#tables.toReversed())
      for (const row of kept.get(table) ?? []) {
        const names = Object.keys(row);
        this.quietly(
          `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
          ...Object.values(row),
        );
      }
    for (const { sql } of triggers) this.raw.exec(String(sql));
  }

  #prepare(sql: string, asArrays = false): StatementSync {
    const name = asArrays ? `arrays ${sql}` : sql;
    const statement = this.#statements.get(name) ?? this.raw.prepare(sql);
    if (asArrays) statement.setReturnArrays(true);
    this.#statements.set(name, statement);
    return statement;
  }

  /** Runs several statements as one transaction. */
  #together<Answer>(act: () => Answer): Answer {
    this.#prepare("BEGIN").run();
    try {
      const answer = act();
      this.#prepare("COMMIT").run();
      return answer;
    } catch (error) {
      this.#prepare("ROLLBACK").run();
      throw error;
    }
  }

  /** Runs one statement, which is its own transaction, or several in one transaction. */
  #transaction<Answer>(act: () => Answer): Answer {
    let answer: Answer;
    try {
      answer = act();
    } catch (error) {
      this.#pending = [];
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : String(error)}: ${resultCode(error)}`);
    }
    const changes = this.#pending;
    this.#pending = [];
    if (changes.length > 0) this.committed(changes);
    return answer;
  }

  #execute({ sql, parameters }: Bound): Row[] {
    return this.#prepare(sql).all(...parameters) as Row[];
  }

  /** A binding whose calls all pass `gate`. */
  binding(gate: Gate): D1Database {
    return makeBinding({
      query: (one) => gate("query", [one], () => this.#transaction(() => this.#execute(one))),
      arrays: (one) =>
        gate("query", [one], () =>
          this.#transaction((): unknown[] => this.#prepare(one.sql, true).all(...one.parameters)),
        ),
      batch: (all) =>
        gate("batch", all, () => this.#transaction(() => this.#together(() => all.map((one) => this.#execute(one))))),
    });
  }

  close(): void {
    this.raw.close();
  }
}
