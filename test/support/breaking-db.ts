// A real database behind a connection that can break at any call, in every way in which a call can fail.

import { PASSING } from "./d1-errors.ts";

export interface Break {
  /** The number of the call that fails, counted from 1. */
  call: number;
  /** Only calls with a matching statement count; by default all calls do. */
  of?: RegExp;
  /** Whether the call was carried out. */
  committed: boolean;
  /**
   * `once`: the answer is lost. `away`: the database gives no answers from then on. `dies`: the caller never continues.
   */
  how: "once" | "away" | "dies";
  /** The error, in D1's own words. */
  text?: string;
}

export interface BreakingDatabase {
  db: D1Database;
  /** The number of calls that counted. */
  use: { calls: number };
  /** Resolves when the caller has died. */
  died: Promise<void>;
  /** Makes the database work again. */
  mend(): void;
}

/** Makes a binding that works like `real` until it breaks. */
export function breakingDatabase(
  real: D1Database,
  { call, of = /./, committed, how: mode, text = PASSING.lost }: Break,
): BreakingDatabase {
  const use = { calls: 0 };
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  let isBroken = false;
  const db = databaseVia(real, async (sql, act) => {
    const breaks = of.test(sql) && ++use.calls === call;
    if (breaks && committed) await act();
    if (breaks && mode !== "once") isBroken = true;
    if (!breaks && !isBroken) return act();
    if (mode !== "dies") throw new Error(text);
    die();
    return never();
  });
  const mend = () => {
    isBroken = false;
  };
  return { db, use, died, mend };
}

/** A promise that never settles, for a call whose caller has died. */
export const never = () => new Promise<never>(() => {});

/** Makes a binding that works like `real`, with each call made by `carryOut`. `sql` has all statements of the call. */
export function databaseVia(
  real: D1Database,
  carryOut: <Answer>(sql: string, act: () => Promise<Answer>) => Promise<Answer>,
): D1Database {
  const originals = new WeakMap<D1PreparedStatement, { statement: D1PreparedStatement; sql: string }>();
  function watch(sql: string, statement: D1PreparedStatement): D1PreparedStatement {
    const watched = new Proxy(statement, {
      get(target, name) {
        switch (name) {
          case "bind":
            return (...values: unknown[]) => watch(sql, target.bind(...values));
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
          return (sql: string) => watch(sql, target.prepare(sql));
        case "batch":
          return (statements: D1PreparedStatement[]) => {
            const pairs = statements.map((statement) => originals.get(statement) ?? { statement, sql: "" });
            const sql = pairs.map((original) => original.sql).join("; ");
            return carryOut(sql, () => target.batch(pairs.map(({ statement }) => statement)));
          };
        default:
          throw new Error(`${String(name)} does not break`);
      }
    },
  });
}
