// Cloudflare's price list, as far as a delivery touches it, and what a measured use costs by it. Dollars. A use is that of a
// delivery from its post's creation until its end is written; looks at what is live come on top of it.

/** Per million, beyond what the plan includes in a month. */
interface Price {
  perMillion: number;
  includedMillions: number;
}

// Workers Paid, $5 a month. Requests and processor time as their page had them on 2026-11-21; the others are what third
// parties quote from the pages named, and from memory: look there before you rely on them.
export const PRICES = {
  // developers.cloudflare.com/workers/platform/pricing: an invocation by HTTP or by a queue.
  requests: { perMillion: 0.3, includedMillions: 10 },
  cpuMs: { perMillion: 0.02, includedMillions: 30 },
  // developers.cloudflare.com/d1/platform/pricing: rows as `meta` counts them, indexes too.
  d1RowsRead: { perMillion: 0.001, includedMillions: 25_000 },
  d1RowsWritten: { perMillion: 1, includedMillions: 50 },
  // developers.cloudflare.com/queues/platform/pricing: a message is written, read and deleted.
  queueOperations: { perMillion: 0.4, includedMillions: 1 },
  // developers.cloudflare.com/durable-objects/platform/pricing: calls and alarms; rows as D1's; each setAlarm is a row.
  objectRequests: { perMillion: 0.15, includedMillions: 1 },
  objectRowsWritten: { perMillion: 1, includedMillions: 50 },
  objectGigabyteSeconds: { perMillion: 12.5, includedMillions: 0.4 },
  // developers.cloudflare.com/workers/observability/logs/workers-logs: each line, and one for each invocation.
  logEvents: { perMillion: 0.6, includedMillions: 20 },
} as const satisfies Record<string, Price>;

/** A month of Workers Paid. */
const PLAN = 5;

export type Meter = keyof typeof PRICES;
const METERS = [
  "requests",
  "cpuMs",
  "d1RowsRead",
  "d1RowsWritten",
  "queueOperations",
  "objectRequests",
  "objectRowsWritten",
  "objectGigabyteSeconds",
  "logEvents",
] as const satisfies Meter[];
/** How much of each meter one delivery uses. */
export type Use = Record<Meter, number>;

export function sumOf(one: Use, other: Use): Use {
  const sum = { ...one };
  for (const meter of METERS) sum[meter] += other[meter];
  return sum;
}

/** What one more million of deliveries costs, when what the plan includes is used up. */
export function priceOfMillion(use: Use): { byMeter: Use; total: number } {
  const byMeter = { ...use };
  let total = 0;
  for (const [meter, { perMillion }] of prices()) {
    byMeter[meter] = use[meter] * perMillion;
    total += byMeter[meter];
  }
  return { byMeter, total };
}

/** What each million costs in a month of so many, with the plan and what it includes. */
export function billedEach(use: Use, millions: number): number {
  const beyond = prices().map(
    ([meter, { perMillion, includedMillions }]) => Math.max(0, use[meter] * millions - includedMillions) * perMillion,
  );
  return beyond.reduce((sum, price) => sum + price, PLAN) / millions;
}

function prices(): [Meter, Price][] {
  return METERS.map((meter) => [meter, PRICES[meter]]);
}
