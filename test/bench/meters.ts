// What a benchmark's worker uses. The engine of any release is metered the same way (-> entry.ts), so nothing here knows one.

import type { DurableObject } from "cloudflare:workers";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { countedDatabase, type DatabaseUse } from "../support/counted-db.ts";
import { fillHistory, type HistoryOf } from "./history.ts";
import { countResident, meterTimers, whileResident } from "./residence.ts";
import { bringForward, countDue } from "./verifications.ts";
import { fillWorkspaces, type NewWorkspace } from "./workspaces.ts";

/** What all objects of one class used. */
export interface ObjectUse {
  /** Calls from outside; an alarm is counted apart. */
  calls: number;
  alarms: number;
  /**
   * Milliseconds for which its 128 MB are billed: while a call, an alarm or what `waitUntil` was given is under way, and while a
   * timer of its own is pending, which keeps an idle object from hibernating. An idle object that could hibernate is not billed,
   * also not before it does (developers.cloudflare.com/durable-objects/platform/pricing, and
   * .../concepts/durable-object-lifecycle of 2026-10-30, both read 2026-11-24).
   */
  busyMs: number;
  /** Of its tables and its keys, and one for each alarm that is set. */
  rowsWritten: number;
  d1: DatabaseUse;
}
/** What one statement cost so far. */
export interface StatementUse {
  count: number;
  rowsRead: number;
  rowsWritten: number;
}
/** What has been used since the meters were set to zero. */
export interface Meters {
  /** By HTTP requests, while they are counted. */
  http: DatabaseUse;
  /** By queue messages. */
  queue: DatabaseUse;
  /** By class. */
  objects: Record<string, ObjectUse>;
  requests: number;
  batches: number;
  messages: number;
  logLines: number;
  /** By SQL. */
  statements: Record<string, StatementUse>;
}
/** `off`: nothing of the database, for runs that are timed: to count a single read is to read twice. */
export type Counts = "off" | "engine" | "all";
/** What `POST /_bench/meters` takes; it answers what was used since the last one. */
export interface MetersInput {
  counts: Counts;
  /** Milliseconds added to every round trip to the database. */
  roundTripMs: number;
}

interface Env {
  DB: D1Database;
  /** The limits, in a release that has them in objects. */
  COUNTER?: DurableObjectNamespace<DurableObject & { clear(): Promise<void> }>;
}
/** A class of objects; a third argument, where it takes one, stands for its storage. */
type ObjectClass = new (state: DurableObjectState, env: Env, storage?: DurableObjectStorage) => DurableObject<Env>;
type Handlers = Required<Pick<ExportedHandler<Env>, "fetch" | "queue" | "scheduled">>;

const noUse = (): DatabaseUse => ({ roundTrips: 0, rowsRead: 0, rowsWritten: 0 });
const zero = (): Meters => ({
  http: noUse(),
  queue: noUse(),
  objects: {},
  requests: 0,
  batches: 0,
  messages: 0,
  logLines: 0,
  statements: {},
});

let meters = zero();
let counts: Counts = "off";
let roundTripMs = 0;

function useOf(name: string): ObjectUse {
  meters.objects[name] ??= { calls: 0, alarms: 0, busyMs: 0, rowsWritten: 0, d1: noUse() };
  return meters.objects[name];
}

const meteredEnvs = new Map<string, WeakMap<Env, Env>>();

/** `env` with a database whose use is counted under a name; `useNow`: where it is added at that moment. */
function meteredEnv(env: Env, name: string, useNow: () => DatabaseUse): Env {
  const known = meteredEnvs.get(name) ?? new WeakMap<Env, Env>();
  meteredEnvs.set(name, known);
  let found = known.get(env);
  if (found === undefined) {
    const { db, use } = countedDatabase(env.DB, {
      isOn: () => counts === "all" || (counts === "engine" && name !== "http"),
      beforeRoundTrip: () => pause(roundTripMs),
      onStatement(sql, { rows_read, rows_written }) {
        meters.statements[sql] ??= { count: 0, rowsRead: 0, rowsWritten: 0 };
        const statement = meters.statements[sql];
        statement.count++;
        statement.rowsRead += rows_read;
        statement.rowsWritten += rows_written;
      },
    });
    for (const field of ["roundTrips", "rowsRead", "rowsWritten"] as const) {
      Object.defineProperty(use, field, {
        get: () => useNow()[field],
        set: (value: number) => {
          useNow()[field] = value;
        },
      });
    }
    found = { ...env, DB: db };
    known.set(env, found);
  }
  return found;
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((end) => setTimeout(end, ms));
}

/** `target` with some of its members in place of its own; all others work on `target` itself. */
function withMembers<Target extends object>(target: Target, members: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === "string" && Object.hasOwn(members, name)) return members[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Rows as Cloudflare bills them: what SQL writes, each key that is put or deleted, each alarm that is set. */
function meteredStorage(storage: DurableObjectStorage, name: string): DurableObjectStorage {
  const add = (rows: number) => {
    useOf(name).rowsWritten += rows;
  };
  const { sql, kv } = storage;
  return withMembers(storage, {
    sql: withMembers(sql, {
      exec(query: string, ...bindings: SqlStorageValue[]) {
        const cursor = sql.exec(query, ...bindings);
        // A statement that writes has done so by now.
        add(cursor.rowsWritten);
        return cursor;
      },
    }),
    kv: withMembers(kv, {
      put(key: string, value: unknown) {
        add(1);
        kv.put(key, value);
      },
      delete(key: string) {
        const existed = kv.delete(key);
        add(existed ? 1 : 0);
        return existed;
      },
    }),
    async put(key: string, value: unknown) {
      add(1);
      await storage.put(key, value);
    },
    async delete(key: string) {
      const existed = await storage.delete(key);
      add(existed ? 1 : 0);
      return existed;
    },
    async setAlarm(at: number | Date) {
      add(1);
      await storage.setAlarm(at);
    },
  });
}

/** A class of objects whose calls, alarms, time, rows and database are counted under `name`. */
export function meteredObject(Base: ObjectClass, name: string): ObjectClass {
  const addResidence = (ms: number) => {
    useOf(name).busyMs += ms;
  };
  const Metered = class extends Base {
    constructor(state: DurableObjectState, env: Env) {
      const metered = meteredEnv(env, name, () => useOf(name).d1);
      super(state, metered, meteredStorage(state.storage, name));
      const waitUntil = state.waitUntil.bind(state);
      Object.defineProperty(state, "waitUntil", {
        value: (work: Promise<unknown>) => waitUntil(whileResident(this, addResidence, () => work)),
      });
    }
  };
  for (const [member, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Base.prototype))) {
    if (member === "constructor" || typeof value !== "function") continue;
    Object.defineProperty(Metered.prototype, member, {
      configurable: true,
      writable: true,
      value(this: object, ...input: unknown[]) {
        useOf(name)[member === "alarm" ? "alarms" : "calls"]++;
        return whileResident(this, addResidence, () => Reflect.apply(value, this, input));
      },
    });
  }
  return Metered;
}

/** The worker with meters before its database, and the benchmark's own routes. */
export function meteredWorker({ fetch, queue, scheduled }: Handlers): Handlers {
  meterTimers();
  for (const level of ["info", "warn", "error"] as const) {
    const write = console[level];
    console[level] = (...line: unknown[]) => {
      meters.logLines++;
      write(...line);
    };
  }
  return {
    async fetch(request, env, execution) {
      switch (new URL(request.url).pathname) {
        case "/_bench/meters": {
          const used = meters;
          meters = zero();
          ({ counts, roundTripMs } = await request.json<MetersInput>());
          return Response.json(used);
        }
        case "/_bench/resident":
          return Response.json({ resident: countResident() });
        case "/_bench/history":
          await fillHistory(env.DB, await request.json<HistoryOf>());
          return Response.json({});
        case "/_bench/verify-now":
          return Response.json({ due: await bringForward(env.DB) });
        case "/_bench/verifications":
          return Response.json({ due: await countDue(env.DB) });
        case "/_bench/workspaces":
          await fillWorkspaces(env.DB, (await request.json<{ workspaces: NewWorkspace[] }>()).workspaces);
          return Response.json({});
        case "/_bench/forget-connects": {
          const { workspace } = await request.json<{ workspace: string }>();
          await env.COUNTER?.getByName(`outbound_workspace:${await sha256Hex(workspace.toLowerCase())}`).clear();
          return Response.json({});
        }
        default:
          meters.requests++;
          return fetch(
            request,
            meteredEnv(env, "http", () => meters.http),
            execution,
          );
      }
    },
    async queue(batch, env, execution) {
      meters.batches++;
      meters.messages += batch.messages.length;
      await queue(
        batch,
        meteredEnv(env, "queue", () => meters.queue),
        execution,
      );
    },
    scheduled,
  };
}
