// Cloudflare's prices of Workers Paid for the products that Crier uses, and the cost of a measured usage, in dollars.

/** The price beyond the monthly amount that the plan includes. */
interface Price {
  label: string;
  /** Dollars for `per` units. */
  price: number;
  per: number;
  /** Units that a month includes. */
  included: number;
}

const MILLION = 1e6;

/** A month of Workers Paid (developers.cloudflare.com/workers/platform/pricing, read 2026-11-24). */
export const PLAN_PRICE = 5;

export const PRICES = {
  // developers.cloudflare.com/workers/platform/pricing, read 2026-11-24: an invocation by HTTP, by a queue or by the cron trigger.
  requests: { label: "Workers: requests", price: 0.3, per: MILLION, included: 10 * MILLION },
  cpuMs: { label: "Workers: milliseconds of processor time", price: 0.02, per: MILLION, included: 30 * MILLION },
  // developers.cloudflare.com/durable-objects/platform/pricing, read 2026-11-24: calls and alarms; each setAlarm is a row.
  objectRequests: { label: "Durable Objects: requests", price: 0.15, per: MILLION, included: MILLION },
  objectGigabyteSeconds: { label: "Durable Objects: GB-s", price: 12.5, per: MILLION, included: 0.4 * MILLION },
  objectRowsRead: { label: "Durable Objects: rows read", price: 0.001, per: MILLION, included: 25_000 * MILLION },
  objectRowsWritten: { label: "Durable Objects: rows written", price: 1, per: MILLION, included: 50 * MILLION },
  objectGigabytes: { label: "Durable Objects: GB stored", price: 0.2, per: 1, included: 5 },
  // developers.cloudflare.com/d1/platform/pricing, read 2026-11-24: rows as `meta` counts them, indexes too.
  d1RowsRead: { label: "D1: rows read", price: 0.001, per: MILLION, included: 25_000 * MILLION },
  d1RowsWritten: { label: "D1: rows written", price: 1, per: MILLION, included: 50 * MILLION },
  d1Gigabytes: { label: "D1: GB stored", price: 0.75, per: 1, included: 5 },
  // developers.cloudflare.com/queues/platform/pricing, read 2026-11-24: a message is written, read and deleted.
  queueOperations: { label: "Queues: operations", price: 0.4, per: MILLION, included: MILLION },
  // developers.cloudflare.com/r2/pricing, read 2026-11-24. Class A changes or lists, class B reads; deletions are free.
  r2ClassA: { label: "R2: class A operations", price: 4.5, per: MILLION, included: MILLION },
  r2ClassB: { label: "R2: class B operations", price: 0.36, per: MILLION, included: 10 * MILLION },
  r2Gigabytes: { label: "R2: GB stored", price: 0.015, per: 1, included: 10 },
  // developers.cloudflare.com/observability/pricing, page of 2026-10-02, valid from 2026-12-01: bytes before compression, with the
  // attributes that the platform adds. (A blog post of the same day says that 10 GB are stored for nothing; the page says 12.)
  logGigabytes: { label: "Workers Logs: GB ingested", price: 0.25, per: 1, included: 50 },
  logStoredGigabytes: { label: "Workers Logs: GB stored", price: 0.1, per: 1, included: 12 },
} as const satisfies Record<string, Price>;

export type Meter = keyof typeof PRICES;
/** The usage by meter; for storage, gigabytes for a month. */
export type Use = Record<Meter, number>;

export const METERS = Object.keys(PRICES).filter((name): name is Meter => Object.hasOwn(PRICES, name));

export const mapMeters = (value: (meter: Meter) => number): Use => ({
  requests: value("requests"),
  cpuMs: value("cpuMs"),
  objectRequests: value("objectRequests"),
  objectGigabyteSeconds: value("objectGigabyteSeconds"),
  objectRowsRead: value("objectRowsRead"),
  objectRowsWritten: value("objectRowsWritten"),
  objectGigabytes: value("objectGigabytes"),
  d1RowsRead: value("d1RowsRead"),
  d1RowsWritten: value("d1RowsWritten"),
  d1Gigabytes: value("d1Gigabytes"),
  queueOperations: value("queueOperations"),
  r2ClassA: value("r2ClassA"),
  r2ClassB: value("r2ClassB"),
  r2Gigabytes: value("r2Gigabytes"),
  logGigabytes: value("logGigabytes"),
  logStoredGigabytes: value("logStoredGigabytes"),
});

export const NO_USE = mapMeters(() => 0);

/** The sum of several usages, each multiplied by a number. */
export const sumUses = (uses: readonly (readonly [times: number, use: Use])[]): Use =>
  mapMeters((meter) => uses.reduce((sum, [times, use]) => sum + times * use[meter], 0));

/** The cost of a million of these, beyond what the plan includes. */
export function priceOfMillion(use: Use): { byMeter: Use; total: number } {
  const byMeter = mapMeters((meter) => (use[meter] * MILLION * PRICES[meter].price) / PRICES[meter].per);
  return { byMeter, total: METERS.reduce((sum, meter) => sum + byMeter[meter], 0) };
}

/** The bill of a month with this usage: by meter beyond what is included, and the total with the plan. */
export function billMonth(use: Use): { byMeter: Use; total: number } {
  const byMeter = mapMeters((meter) => {
    const { price, per, included } = PRICES[meter];
    return (Math.max(0, use[meter] - included) * price) / per;
  });
  return { byMeter, total: METERS.reduce((sum, meter) => sum + byMeter[meter], PLAN_PRICE) };
}
