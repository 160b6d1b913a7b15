// The worker as it is deployed, with a meter before its database, its queue and its clocks, and with a way to give it a
// history. Only the benchmark runs it.
import type { ClockEntry, Env } from "../../src/env.ts";
import crier, { Clock as CrierClock } from "../../src/index.ts";
import { countedDatabase, type DatabaseUse } from "../support/counted-db.ts";
import { fillHistory, type HistoryOf } from "./history.ts";

export { Counter, McpConnection, Sweeper, WebhookSender } from "../../src/index.ts";

/** What has been used since the meters were set to zero. */
export interface Meters {
  /** By HTTP requests, while they are counted; by queue messages. */
  http: DatabaseUse;
  queue: DatabaseUse;
  requests: number;
  batches: number;
  messages: number;
  arms: number;
  alarms: number;
  /** Milliseconds for which clocks were at work. */
  clockMs: number;
  logLines: number;
}

const zero = (): Meters => ({
  http: { trips: 0, rowsRead: 0, rowsWritten: 0 },
  queue: { trips: 0, rowsRead: 0, rowsWritten: 0 },
  requests: 0,
  batches: 0,
  messages: 0,
  arms: 0,
  alarms: 0,
  clockMs: 0,
  logLines: 0,
});
let meters = zero();
/** Counting the rows of a single read means reading twice, which the timed requests are spared. */
let countsRequests = false;

const metered = { http: new WeakMap<Env, Env>(), queue: new WeakMap<Env, Env>() };

/** `env` with a database whose use is counted. */
function counted(env: Env, by: "http" | "queue"): Env {
  let found = metered[by].get(env);
  if (found === undefined) {
    const { db, use } = countedDatabase(env.DB);
    for (const name of ["trips", "rowsRead", "rowsWritten"] as const) {
      Object.defineProperty(use, name, {
        get: () => meters[by][name],
        set: (value: number) => {
          meters[by][name] = value;
        },
      });
    }
    found = { ...env, DB: db };
    metered[by].set(env, found);
  }
  return found;
}

export class Clock extends CrierClock {
  override arm(workspace: string, entries: ClockEntry[]): Promise<void> {
    meters.arms++;
    return timed(super.arm(workspace, entries));
  }
  override alarm(): Promise<void> {
    meters.alarms++;
    return timed(super.alarm());
  }
}

async function timed(work: Promise<void>): Promise<void> {
  const startedAt = Date.now();
  await work;
  meters.clockMs += Date.now() - startedAt;
}

for (const level of ["info", "warn", "error"] as const) {
  const write = console[level];
  console[level] = (...line: unknown[]) => {
    meters.logLines++;
    write(...line);
  };
}

export default {
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/_bench/meters": {
        const read = meters;
        meters = zero();
        ({ countsRequests } = await request.json<{ countsRequests: boolean }>());
        return Response.json(read);
      }
      case "/_bench/history":
        await fillHistory(env.DB, await request.json<HistoryOf>());
        return new Response(null, { status: 204 });
      default:
        meters.requests++;
        return crier.fetch(request, countsRequests ? counted(env, "http") : env, execution);
    }
  },
  async queue(batch, env, execution) {
    meters.batches++;
    meters.messages += batch.messages.length;
    await crier.queue(batch, counted(env, "queue"), execution);
  },
  scheduled: crier.scheduled,
} satisfies ExportedHandler<Env>;
