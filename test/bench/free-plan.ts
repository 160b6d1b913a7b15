// The daily limits of Workers Free, and the share that one person uses.
import { type Measured, useOfDay, useOfSweeps } from "./months.ts";
import { sumUses, type Use } from "./prices.ts";

/** The highest share of each limit that one person may use. */
const SHARE_MAX = 0.1;
const MONTH_DAYS = 30;
const MONTHS_KEPT = 12;

interface Limit {
  label: string;
  limit: number;
  /** Computes the used part of this limit from a day's usage. */
  used(day: Use): number;
}

const LIMITS: Limit[] = [
  // developers.cloudflare.com/workers/platform/limits, read 2026-11-24.
  { label: "Workers: requests a day", limit: 100_000, used: ({ requests }) => requests },
  // developers.cloudflare.com/d1/platform/pricing, read 2026-11-24.
  { label: "D1: rows read a day", limit: 5e6, used: ({ d1RowsRead }) => d1RowsRead },
  { label: "D1: rows written a day", limit: 100_000, used: ({ d1RowsWritten }) => d1RowsWritten },
  // developers.cloudflare.com/d1/platform/limits, page of 2026-04-21: 500 MB for a database, 5 GB for an account.
  {
    label: "D1: MB of one database after a year",
    limit: 500,
    used: ({ d1Gigabytes }) => d1Gigabytes * 1000 * MONTH_DAYS * (MONTHS_KEPT / 2.5),
  },
  // developers.cloudflare.com/durable-objects/platform/pricing, read 2026-11-24.
  { label: "Durable Objects: requests a day", limit: 100_000, used: ({ objectRequests }) => objectRequests },
  {
    label: "Durable Objects: GB-s a day",
    limit: 13_000,
    used: ({ objectGigabyteSeconds }) => objectGigabyteSeconds,
  },
  { label: "Durable Objects: rows read a day", limit: 5e6, used: ({ objectRowsRead }) => objectRowsRead },
  { label: "Durable Objects: rows written a day", limit: 100_000, used: ({ objectRowsWritten }) => objectRowsWritten },
  // developers.cloudflare.com/durable-objects/platform/limits, read 2026-11-24.
  { label: "Durable Objects: GB stored", limit: 5, used: ({ objectGigabytes }) => objectGigabytes * MONTH_DAYS },
  // developers.cloudflare.com/queues/platform/pricing, since 2026-02-04, read 2026-11-24.
  { label: "Queues: operations a day", limit: 10_000, used: ({ queueOperations }) => queueOperations },
  // developers.cloudflare.com/r2/pricing, read 2026-11-24: by the month.
  { label: "R2: class A operations a month", limit: 1e6, used: ({ r2ClassA }) => r2ClassA * MONTH_DAYS },
  { label: "R2: class B operations a month", limit: 10e6, used: ({ r2ClassB }) => r2ClassB * MONTH_DAYS },
  { label: "R2: GB stored", limit: 10, used: ({ r2Gigabytes }) => r2Gigabytes * MONTH_DAYS },
  // developers.cloudflare.com/workers/observability/logs/workers-logs, read 2026-11-24: lines, until 2026-12-01. From then on bytes:
  // developers.cloudflare.com/observability/pricing, page of 2026-10-02.
  { label: "Workers Logs: MB a day, from 2026-12-01", limit: 500, used: ({ logGigabytes }) => logGigabytes * 1000 },
];

const amount = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

/** The table of docs/performance.md about Workers Free, in Markdown. A last line names limits of which more than a tenth is used. */
export function freeTable(measured: Measured): string {
  const day = sumUses([
    [1, useOfDay(measured, true)],
    [1, useOfSweeps(measured)],
  ]);
  const sweeps = useOfSweeps(measured);
  const rows = LIMITS.map(({ label, limit, used }) => ({
    label,
    limit,
    share: used(day) / limit,
    used: used(day),
    swept: used(sweeps),
  }));
  const lines = rows.map(
    ({ label, limit, share, used, swept }) =>
      `| ${label} | ${amount(used)} | ${amount(swept)} | ${limit.toLocaleString("en")} | ${(share * 100).toFixed(1)} % |`,
  );
  const { read, tool, sweep } = measured.activities;
  const times = Object.entries({ read, "tool call": tool, sweep }).map(
    ([name, use]) => `a ${name} ${amount(use.cpuMs)}`,
  );
  const above = rows.filter(({ share }) => share > SHARE_MAX).map(({ label }) => label);
  return [
    "| limit of Workers Free | used | of it by sweeps | allowed | share |",
    "|---|---|---|---|---|",
    ...lines,
    "",
    // developers.cloudflare.com/workers/platform/limits, read 2026-11-24: 10 ms of processor time an invocation.
    `milliseconds of processor time, including the local database and runtime, of the 10 that an invocation may use: ${times.join(", ")}`,
    ...(above.length === 0 ? [] : ["", `above a tenth of the limit: ${above.join(", ")}`]),
  ].join("\n");
}
