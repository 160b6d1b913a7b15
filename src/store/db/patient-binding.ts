// A database for requests: what fails for a moment is asked again, so that whoever waits for the answer need not ask again.
//
// A statement that only reads is asked again after every fault that passes soon. Anything that writes is asked again only when it
// was certainly not carried out: whether a write whose answer was lost may be repeated depends on the write.
import { passesSoon, wasNotCarriedOut } from "../../domain/database-fault.ts";

/** Waits before the next try, in milliseconds; each is lengthened or shortened by up to a half. */
const WAITS_MS = [50, 200, 800];
/** Words that D1 takes for a write, too (developers.cloudflare.com/d1/best-practices/retry-queries, read 2026-11-24). */
const WRITES = /\b(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA)\b/i;

export interface Patience {
  /** Ends after so many milliseconds. */
  pause(ms: number): Promise<void>;
  /** 0 to 1. */
  random(): number;
}

/** A binding that works as `real` does, and asks again what failed for a moment. */
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
            const known = statements.map((proxy) => prepared.get(proxy) ?? { statement: proxy, sql: "UPDATE" });
            return ask(
              known.map(({ sql }) => sql),
              () => target.batch(known.map(({ statement }) => statement)),
            );
          };
        default:
          throw new Error(`a patient database has no ${String(name)}`);
      }
    },
  });
}
