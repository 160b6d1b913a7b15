// A database for requests that retries transient faults, so that callers need not retry themselves.
//
// A statement that only reads is retried after every transient fault. A write is retried only if it certainly did not
// happen: whether a write may be repeated after its answer was lost depends on the write.
import { passesSoon, wasNotCarriedOut } from "../../domain/database-fault.ts";

/** Waits before each retry, in milliseconds; each is lengthened or shortened by up to a half. */
const WAITS_MS = [50, 200, 800];
/**
 * A statement with one of these words counts as a write, as it does for D1
 * (developers.cloudflare.com/d1/best-practices/retry-queries, read 2026-11-24).
 */
const WRITES = /\b(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA)\b/i;

export interface Patience {
  /** Resolves after so many milliseconds. */
  pause(ms: number): Promise<void>;
  /** 0 to 1. */
  random(): number;
}

/** A binding that behaves like `real`, and retries transient faults. */
export function patientBinding(real: D1Database, { pause, random }: Patience): D1Database {
  const prepared = new WeakMap<D1PreparedStatement, { statement: D1PreparedStatement; sql: string }>();

  async function ask<Answer>(sql: readonly string[], act: () => Promise<Answer>): Promise<Answer> {
    const mayRepeat = sql.some((statement) => WRITES.test(statement)) ? wasNotCarriedOut : passesSoon;
    for (const wait of WAITS_MS) {
      try {
        return await act();
      } catch (error) {
        if (!mayRepeat(error)) throw error;
        await pause(wait * (0.5 + random()));
      }
    }
    return act();
  }

  function patient(sql: string, statement: D1PreparedStatement): D1PreparedStatement {
    const proxy = new Proxy(statement, {
      get(target, name) {
        switch (name) {
          case "bind":
            return (...values: unknown[]) => patient(sql, target.bind(...values));
          case "all":
            return () => ask([sql], () => target.all());
          case "run":
            return () => ask([sql], () => target.run());
          case "raw":
            return () => ask([sql], () => target.raw());
          default:
            throw new Error(`a patient statement has no ${String(name)}`);
        }
      },
    });
    prepared.set(proxy, { statement, sql });
    return proxy;
  }

  return new Proxy(real, {
    get(target, name) {
      switch (name) {
        case "prepare":
          return (sql: string) => patient(sql, target.prepare(sql));
        case "batch":
          return (statements: D1PreparedStatement[]) => {
            const originals = statements.map((proxy) => prepared.get(proxy) ?? { statement: proxy, sql: "UPDATE" });
            return ask(
              originals.map(({ sql }) => sql),
              () => target.batch(originals.map(({ statement }) => statement)),
            );
          };
        default:
          throw new Error(`a patient database has no ${String(name)}`);
      }
    },
  });
}
