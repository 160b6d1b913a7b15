// Meters the usage of a benchmark's worker. They work for the engine of any release (-> engine.ts), so nothing here
// depends on one.

import type { DurableObject } from "cloudflare:workers";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { countedDatabase, type DatabaseUse } from "../support/counted-db.ts";
import { fillHistory, type HistoryInput } from "./history.ts";
import { meteredBucket, meteredStorage } from "./metered-bindings.ts";
import { bringForward, countDue } from "./rechecks.ts";
import { countResident, meterTimers, whileResident } from "./residence.ts";
import { fillWorkspaces, type NewWorkspace } from "./workspaces.ts";

/** The usage of all objects of one class. */
export interface ObjectUse {
  /** Calls from outside; alarms are counted separately. */
  calls: number;
  alarms: number;
  /**
   * Milliseconds for which its 128 MB are billed: during a call, an alarm or a `waitUntil` promise, and while one of
   * its timers is pending, which keeps an idle object from hibernating. An idle object that can hibernate is not
   * billed, even before it hibernates (developers.cloudflare.com/durable-objects/platform/pricing, and
   * .../concepts/durable-object-lifecycle of 2026-10-30, both read 2026-11-24).
   */
  busyMs: number;
  /** Reads of its tables and keys. */
  rowsRead: number;
  /** Writes of its tables and keys, and one for each alarm that is set. */
  rowsWritten: number;
  d1: DatabaseUse;
}
/** The cost of one statement so far. */
export interface StatementUse {
  count: number;
  rowsRead: number;
  rowsWritten: number;
}
/** The usage since the meters were reset. */
export interface Meters {
  /** The usage by HTTP requests, while they are counted. */
  http: DatabaseUse;
  /** The usage by queue messages. */
  queue: DatabaseUse;
  /** By class. */
  objects: Record<string, ObjectUse>;
  requests: number;
  batches: number;
  messages: number;
  logLines: number;
  logBytes: number;
  /** Operations of the bucket, without those by presigned addresses. */
  bucket: { a: number; b: number };
  /** By SQL. */
  statements: Record<string, StatementUse>;
}
/** `off`: the database is not metered in timed runs, because counting a read means reading twice. */
export type Counts = "off" | "engine" | "all";
/** The body of `POST /_bench/meters`, which returns the usage since the last call. */
export interface MetersInput {
  counts: Counts;
  /** Milliseconds that are added to every round trip to the database. */
  roundTripMs: number;
}

interface Env {
  DB: D1Database;
  MEDIA?: R2Bucket;
  /** The rate limits, in a release that keeps them in objects. */
  COUNTER?: DurableObjectNamespace<DurableObject & { clear(): Promise<void> }>;
  SWEEPER: DurableObjectNamespace<DurableObject & { ring(): Promise<void> }>;
}
/** A class of objects; an optional third argument replaces its storage. */
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
  logBytes: 0,
  bucket: { a: 0, b: 0 },
  statements: {},
});

let meters = zero();
let counts: Counts = "off";
let roundTripMs = 0;

function getUse(name: string): ObjectUse {
  meters.objects[name] ??= { calls: 0, alarms: 0, busyMs: 0, rowsRead: 0, rowsWritten: 0, d1: noUse() };
  return meters.objects[name];
}

const realStorages = new WeakMap<object, DurableObjectStorage>();
const meteredEnvs = new Map<string, WeakMap<Env, Env>>();

/** `env` with a database whose usage is counted under a name. `useNow` returns the counter at that moment. */
function meteredEnv(env: Env, name: string, useNow: () => DatabaseUse): Env {
  const cachedEnvs = meteredEnvs.get(name) ?? new WeakMap<Env, Env>();
  meteredEnvs.set(name, cachedEnvs);
  let metered = cachedEnvs.get(env);
  if (metered === undefined) {
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
    const { MEDIA: bucket } = env;
    const count = (kind: "a" | "b") => {
      meters.bucket[kind]++;
    };
    metered = { ...env, DB: db, ...(bucket && { MEDIA: meteredBucket(bucket, count) }) };
    cachedEnvs.set(env, metered);
  }
  return metered;
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((end) => setTimeout(end, ms));
}

/** A class of objects whose calls, alarms, time, rows and database usage are counted under `name`. */
export function meteredObject(Base: ObjectClass, name: string): ObjectClass {
  const addResidence = (ms: number) => {
    getUse(name).busyMs += ms;
  };
  const Metered = class extends Base {
    constructor(state: DurableObjectState, env: Env) {
      const metered = meteredEnv(env, name, () => getUse(name).d1);
      const storage = meteredStorage(state.storage, ({ read = 0, written = 0 }) => {
        getUse(name).rowsRead += read;
        getUse(name).rowsWritten += written;
      });
      const real = state.storage;
      Object.defineProperty(state, "storage", { value: storage });
      super(state, metered, storage);
      realStorages.set(this, real);
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
        getUse(name)[member === "alarm" ? "alarms" : "calls"]++;
        return whileResident(this, addResidence, () => Reflect.apply(value, this, input));
      },
    });
  }
  // Fires its alarm now, unmetered.
  Object.defineProperty(Metered.prototype, "ring", {
    value(this: object) {
      return realStorages.get(this)?.setAlarm(Date.now());
    },
  });
  return Metered;
}

/** The worker with metered bindings, and the benchmark's own routes. */
export function meteredWorker({ fetch, queue, scheduled }: Handlers): Handlers {
  meterTimers();
  for (const level of ["info", "warn", "error"] as const) {
    const write = console[level];
    console[level] = (...line: unknown[]) => {
      meters.logLines++;
      meters.logBytes += line.join(" ").length;
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
        case "/_bench/sweep-now":
          await env.SWEEPER.getByName("sweeper").ring();
          return Response.json({});
        case "/_bench/history":
          await fillHistory(env.DB, await request.json<HistoryInput>());
          return Response.json({});
        case "/_bench/recheck-now":
          return Response.json({ due: await bringForward(env.DB) });
        case "/_bench/rechecks":
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
