// The real database behind a connection that a test has in its hands: it can break off at any call, in each way that a call can.

import { PASSING } from "./d1-errors.ts";

export interface Break {
  /** Which of its calls goes wrong, from 1. */
  call: number;
  /** Calls that count: those with such a statement. All when left out. */
  of?: RegExp;
  /** Whether it had been carried out. */
  committed: boolean;
  /**
   * `once`: its answer is lost. `away`: the database gives no answer from then on. `dies`: whoever made the call never
   * goes on.
   */
  how: "once" | "away" | "dies";
  /** What it says, in D1's own words. */
  text?: string;
}

export interface BreakingDatabase {
  db: D1Database;
  /** How many calls were made that count. */
  use: { calls: number };
  /** Ends when whoever makes the calls has died. */
  died: Promise<void>;
  /** It works from now on. */
  mend(): void;
}

/** A binding that works as `real` does until it breaks off. */
export function breakingDatabase(
  real: D1Database,
  { call, of = /./, committed, how, text = PASSING.lost }: Break,
): BreakingDatabase {
  const use = { calls: 0 };
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  let isBroken = false;
  const db = databaseVia(real, async (sql, act) => {
    const breaks = of.test(sql) && ++use.calls === call;
    if (breaks && committed) await act();
    if (breaks && how !== "once") isBroken = true;
    if (!breaks && !isBroken) return act();
    if (how !== "dies") throw new Error(text);
    die();
    return never();
  });
  const mend = () => {
    isBroken = false;
  };
  return { db, use, died, mend };
}

/** What a call comes to that nobody lives to hear of. */
export const never = () => new Promise<never>(() => {});

/** A binding that works as `real` does, each of its calls made by `carryOut`; `sql`: all of a call's statements. */
export function databaseVia(
  real: D1Database,
  carryOut: <Answer>(sql: string, act: () => Promise<Answer>) => Promise<Answer>,
): D1Database {
  const originals = new WeakMap<D1PreparedStatement, { statement: D1PreparedStatement; sql: string }>();
  function prepared(sql: string, statement: D1PreparedStatement): D1PreparedStatement {
    const watched = new Proxy(statement, {
      get(target, name) {
        switch (name) {
          case "bind":
            return (...values: unknown[]) => prepared(sql, target.bind(...values));
          case "all":
            return () => carryOut(sql, () => target.all());
          case "run":
            return () => carryOut(sql, () => target.run());
          case "raw":
            return () => carryOut(sql, () => target.raw());
          default:
            throw new Error(`${String(name)} does not break`);
        }
      },
    });
    originals.set(watched, { statement, sql });
    return watched;
  }
  return new Proxy(real, {
    get(target, name) {
      switch (name) {
        case "prepare":
          return (sql: string) => prepared(sql, target.prepare(sql));
        case "batch":
          return (statements: D1PreparedStatement[]) => {
            const known = statements.map((statement) => originals.get(statement) ?? { statement, sql: "" });
            const sql = known.map((one) => one.sql).join("; ");
            return carryOut(sql, () => target.batch(known.map(({ statement }) => statement)));
          };
        default:
          throw new Error(`${String(name)} does not break`);
      }
    },
  });
}
