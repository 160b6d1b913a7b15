// Cloudflare's price list, as far as a delivery touches it, and what a measured use costs by it. Dollars.

/** Per million, beyond what the plan includes in a month. */
interface Price {
  perMillion: number;
  includedMillions: number;
}

// Workers Paid, $5 a month; read 2026-11-21 in stored copies of the pages named.
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

export type Meter = keyof typeof PRICES;
/** How much of each meter one delivery uses. */
export type Use = Record<Meter, number>;

/** What a million deliveries cost: each meter by itself, and all of them beyond what the plan includes. */
export function priceOfMillion(use: Use): { byMeter: Use; total: number; withinPlan: number } {
  const byMeter = { ...use };
  let total = 0;
  let withinPlan = 0;
  for (const [meter, price] of Object.entries(PRICES) as [Meter, Price][]) {
    byMeter[meter] = use[meter] * price.perMillion;
    total += byMeter[meter];
    withinPlan += Math.max(0, use[meter] - price.includedMillions) * price.perMillion;
  }
  return { byMeter, total, withinPlan };
}
