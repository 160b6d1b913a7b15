// What one delivery used of everything that is billed, from its post's creation until it is live.
import type { Meters } from "./meters.ts";
import { billedEach, priceOfMillion, type Use } from "./prices.ts";

/** What an object is billed for, whatever it holds: 128 MB. */
const OBJECT_GIGABYTES = 0.128;
/** Works by the minute, however much is delivered. */
const CONSTANT = new Set(["Sweeper"]);

export interface Costs {
  /** Round trips to D1 and its rows, a delivery: of the requests that create, and of all that follows. */
  roundTrips: { create: number; publish: number };
  rowsRead: { create: number; publish: number };
  rowsWritten: { create: number; publish: number };
  use: Use;
  price: { byMeter: Use; total: number; billed: { millions: number; each: number }[] };
}

interface Spent {
  made: Meters;
  spent: Meters;
  cpuMs: number;
  logsInvocations: boolean;
}

/**
 * `made`: the meters over the creation of the posts; `spent`: from then until all is written. `cpuMs`: of the worker's
 * processes over both. `logsInvocations`: whether each invocation is a line of the log.
 */
export function costsOf(
  { made, spent, cpuMs, logsInvocations }: Spent,
  { posts, deliveries }: { posts: number; deliveries: number },
): Costs {
  const share = (count: number) => count / deliveries;
  const objects = [made, spent].flatMap((meters) =>
    Object.entries(meters.objects).flatMap(([name, use]) => (CONSTANT.has(name) ? [] : [use])),
  );
  const sum = (of: (object: (typeof objects)[number]) => number) =>
    objects.reduce((total, object) => total + of(object), 0);
  const batches = made.batches + spent.batches;
  const objectRequests = sum(({ calls, alarms }) => calls + alarms);
  const engine = (field: "roundTrips" | "rowsRead" | "rowsWritten") =>
    made.queue[field] + spent.queue[field] + sum(({ d1 }) => d1[field]);
  const both = (field: "roundTrips" | "rowsRead" | "rowsWritten") => ({
    create: share(made.http[field]),
    publish: share(engine(field)),
  });
  const [roundTrips, rowsRead, rowsWritten] = [both("roundTrips"), both("rowsRead"), both("rowsWritten")];
  const use: Use = {
    requests: share(posts + batches),
    cpuMs: share(cpuMs),
    d1RowsRead: rowsRead.create + rowsRead.publish,
    d1RowsWritten: rowsWritten.create + rowsWritten.publish,
    queueOperations: share(3 * (made.messages + spent.messages)),
    objectRequests: share(objectRequests),
    objectRowsWritten: share(sum((object) => object.rowsWritten)),
    objectGigabyteSeconds: share((sum(({ busyMs }) => busyMs) / 1000) * OBJECT_GIGABYTES),
    logEvents: share(made.logLines + spent.logLines + (logsInvocations ? posts + batches + objectRequests : 0)),
  };
  const billed = [1, 10, 30].map((millions) => ({ millions, each: billedEach(use, millions) }));
  return { roundTrips, rowsRead, rowsWritten, use, price: { ...priceOfMillion(use), billed } };
}
