// The usage of everything that is billed, from the meters.
import type { Meters, ObjectUse } from "./meters.ts";
import { mapMeters, NO_USE, priceOfMillion, type Use } from "./prices.ts";

/** An object is billed for 128 MB, regardless of its use. */
const OBJECT_GIGABYTES = 0.128;
/** It works every minute, regardless of deliveries, so it is measured separately. */
export const SWEEPER = "Sweeper";
/** Bytes that the platform adds to each log line. This is an assumption, because no page has the number. */
const LOG_ATTRIBUTE_BYTES = 1_024;
const GIGABYTE = 1e9;
/** The number of days for which logs are stored (developers.cloudflare.com/observability/pricing, page of 2026-10-02). */
const LOG_DAYS_SHARE = 7 / 30;
/** A message is written, read and deleted. */
const OPERATIONS_PER_MESSAGE = 3;

/** Facts that the meters do not have. */
export interface UsageContext {
  /** Invocations by HTTP. */
  requests: number;
  /** Processor time of the worker's processes. */
  cpuMs: number;
  /** Whether each invocation is logged. */
  logsInvocations: boolean;
  /** Whether an object counts. */
  isCounted?: (name: string) => boolean;
}

/** The whole usage. */
export function totalUse(
  readings: Meters[],
  { requests, cpuMs, logsInvocations, isCounted = (name) => name !== SWEEPER }: UsageContext,
): Use {
  const objects = readings.flatMap((meters) => Object.entries(meters.objects).filter(([name]) => isCounted(name)));
  const sumObjects = (value: (use: ObjectUse) => number) => objects.reduce((sum, [, use]) => sum + value(use), 0);
  const sum = (value: (meters: Meters) => number) => readings.reduce((total, meters) => total + value(meters), 0);
  const invocations = requests + sum(({ batches }) => batches);
  const objectRequests = sumObjects(({ calls, alarms }) => calls + alarms);
  const lines = sum(({ logLines }) => logLines) + (logsInvocations ? invocations + objectRequests : 0);
  const logGigabytes = (sum(({ logBytes }) => logBytes) + lines * LOG_ATTRIBUTE_BYTES) / GIGABYTE;
  return {
    ...NO_USE,
    requests: invocations,
    cpuMs,
    objectRequests,
    objectGigabyteSeconds: (sumObjects(({ busyMs }) => busyMs) / 1000) * OBJECT_GIGABYTES,
    objectRowsRead: sumObjects(({ rowsRead }) => rowsRead),
    objectRowsWritten: sumObjects(({ rowsWritten }) => rowsWritten),
    d1RowsRead: sum(({ http, queue }) => http.rowsRead + queue.rowsRead) + sumObjects(({ d1 }) => d1.rowsRead),
    d1RowsWritten:
      sum(({ http, queue }) => http.rowsWritten + queue.rowsWritten) + sumObjects(({ d1 }) => d1.rowsWritten),
    queueOperations: OPERATIONS_PER_MESSAGE * sum(({ messages }) => messages),
    r2ClassA: sum(({ bucket }) => bucket.a),
    r2ClassB: sum(({ bucket }) => bucket.b),
    logGigabytes,
    logStoredGigabytes: logGigabytes * LOG_DAYS_SHARE,
  };
}

export const divideUse = (use: Use, divisor: number): Use => mapMeters((meter) => use[meter] / divisor);

export interface Costs {
  /** Round trips to D1 and rows per delivery, of the requests that create posts and of everything after them. */
  roundTrips: { create: number; publish: number };
  rowsRead: { create: number; publish: number };
  rowsWritten: { create: number; publish: number };
  use: Use;
  price: { byMeter: Use; total: number };
}

interface Spent {
  creation: Meters;
  spent: Meters;
  cpuMs: number;
  logsInvocations: boolean;
}

/**
 * The cost of one delivery. `creation`: the meters during the creation of the posts; `spent`: from then until
 * everything is written. `cpuMs`: processor time of the worker's processes during both.
 */
export function computeCosts(
  { creation, spent, cpuMs, logsInvocations }: Spent,
  { posts, deliveries }: { posts: number; deliveries: number },
): Costs {
  const objects = [creation, spent].flatMap((meters) =>
    Object.entries(meters.objects).flatMap(([name, use]) => (name === SWEEPER ? [] : [use])),
  );
  const splitByPhase = (field: "roundTrips" | "rowsRead" | "rowsWritten") => ({
    create: creation.http[field] / deliveries,
    publish:
      (creation.queue[field] + spent.queue[field] + objects.reduce((sum, { d1 }) => sum + d1[field], 0)) / deliveries,
  });
  // Between the creation and the end, only the benchmark itself makes calls.
  const withoutHttp = { ...spent, http: { roundTrips: 0, rowsRead: 0, rowsWritten: 0 } };
  const use = divideUse(totalUse([creation, withoutHttp], { requests: posts, cpuMs, logsInvocations }), deliveries);
  return {
    roundTrips: splitByPhase("roundTrips"),
    rowsRead: splitByPhase("rowsRead"),
    rowsWritten: splitByPhase("rowsWritten"),
    use,
    price: priceOfMillion(use),
  };
}
