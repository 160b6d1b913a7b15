// Prints the results of `npm run bench`: a line for each figure, a column for each release.
import type { Activities } from "./activities.ts";
import type { Costs } from "./costs.ts";
import { median } from "./lateness.ts";
import type { Phases, Size, Timed } from "./phases.ts";

type Priced = Awaited<ReturnType<Phases["priced"]>>;
type Rechecked = Awaited<ReturnType<Phases["rechecked"]>>;

/** The measurements of one release, one value per round. */
export interface Results {
  name: string;
  creates: number[];
  steady: Timed[];
  burst: Timed[];
  spread: Timed[];
  wide: Timed[];
  price4: Priced[];
  price1: Priced[];
  recheck: Rechecked[];
  /** The activities around deliveries. */
  activities: Activities[];
}

interface Line {
  label: string;
  /** The limits of figures that are promised. */
  target?: string;
  format(results: Results): string;
}

const NONE = "-";
const ms = (value: number) => `${Math.round(value)} ms`;
const dollars = (value: number) => `$${value.toFixed(2)}`;
const formatMedian = <Item>(items: Item[], getValue: (item: Item) => number, show: (value: number) => string) =>
  items.length === 0 ? NONE : show(median(items.map(getValue)));

const formatLateness = (items: Timed[]) =>
  items.length === 0
    ? NONE
    : `p50 ${formatMedian(items, ({ p50 }) => p50, ms)}, p99 ${formatMedian(items, ({ p99 }) => p99, ms)}, max ${formatMedian(items, ({ max }) => max, ms)}`;
const formatThroughput = (items: Timed[]) =>
  `${formatLateness(items)}; ${formatMedian(
    items,
    ({ perSecond }) => perSecond,
    (value) => `${Math.round(value)}/s`,
  )}; processor ${formatMedian(
    items,
    (item) => item.cpuMs,
    (value) => `${value.toFixed(2)} ms`,
  )}`;

/** The figures of one delivery of posts for so many channels. */
function costLines(name: string, target: string, getCosts: (results: Results) => Costs[]): Line[] {
  const formatSum = (field: "roundTrips" | "rowsRead" | "rowsWritten") => (results: Results) => {
    const show = (getPart: (costs: Costs) => number) =>
      formatMedian(getCosts(results), getPart, (value) => value.toFixed(value < 100 ? 2 : 0));
    const sum = show((costs) => costs[field].create + costs[field].publish);
    return `${sum} = ${show((costs) => costs[field].create)} creating + ${show((costs) => costs[field].publish)}`;
  };
  const meter = (meterName: keyof Costs["use"]) => (results: Results) =>
    `${formatMedian(
      getCosts(results),
      ({ use }) => use[meterName],
      (value) => value.toPrecision(3),
    )} = ${formatMedian(getCosts(results), ({ price }) => price.byMeter[meterName], dollars)}`;
  return [
    {
      label: `${name}: a million more`,
      target,
      format: (results) => formatMedian(getCosts(results), ({ price }) => price.total, dollars),
    },
    { label: "  D1 round trips", format: formatSum("roundTrips") },
    { label: "  D1 rows written", format: formatSum("rowsWritten") },
    { label: "  D1 rows read", format: formatSum("rowsRead") },
    { label: "  object rows", format: meter("objectRowsWritten") },
    { label: "  object requests", format: meter("objectRequests") },
    { label: "  object GB-s", format: meter("objectGigabyteSeconds") },
    { label: "  queue operations", format: meter("queueOperations") },
    { label: "  processor ms", format: meter("cpuMs") },
    { label: "  requests, batches", format: meter("requests") },
    { label: "  log gigabytes", format: meter("logGigabytes") },
  ];
}

export function table(size: Size, finished: number, results: Results[]): string {
  const lines: Line[] = [
    {
      label: `create, ${size.perPost} channels each`,
      format: ({ creates }) =>
        formatMedian(
          creates,
          (value) => value,
          (value) => `${Math.round(value)}/s`,
        ),
    },
    {
      label: `steady ${size.rate}/s for ${size.seconds} s`,
      target: "p50 <= 30 ms, p99 <= 100 ms",
      format: ({ steady }) => formatThroughput(steady),
    },
    {
      label: `burst of ${size.deliveries}, ${size.channels} channels`,
      target: "p50 <= 1500 ms, >= 700/s",
      format: ({ burst }) => formatThroughput(burst),
    },
    { label: `burst of ${size.spread} workspaces`, format: ({ spread }) => formatThroughput(spread) },
    { label: `${size.wide} channels of one workspace`, format: ({ wide }) => formatThroughput(wide) },
    ...costLines("price, post on 4 channels", "<= $10", ({ price4 }) => price4),
    ...costLines("price, post on 1 channel", "<= $15", ({ price1 }) => price1),
    ...costLines("price, one recheck", "", ({ recheck }) => recheck),
  ];
  const rows = [
    ["", "target", ...results.map(({ name }) => name)],
    ...lines.map(({ label, target = "", format }) => [label, target, ...results.map(format)]),
  ].filter((row) => row.slice(2).some((cell) => !/^[-\s;=+a-z]*$/.test(cell)) || row[0] === "");
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const text = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [
    `${finished} finished posts; prices with ${size.answerMs} ms for a network's answer and ${size.roundTripMs} ms more for a round trip to D1`,
    ...text,
  ].join("\n");
}

/** Statements that write nothing and read no more rows per delivery than this are left out. */
const READ_MIN = 5;

/** The statements that write rows, per delivery, the most expensive first. */
export function statementLines(results: Results[]): string {
  const lines: string[] = [];
  for (const { name, price4, price1 } of results) {
    for (const priced of [price4.at(-1), price1.at(-1)]) {
      if (priced === undefined) continue;
      lines.push(
        "",
        `${name}, a post on ${priced.perPost} channels: rows written, rows read and executions per delivery`,
      );
      const byRows = priced.statements
        .filter(({ rowsWritten, rowsRead }) => rowsWritten > 0 || rowsRead > READ_MIN)
        .toSorted((a, b) => b.rowsWritten - a.rowsWritten || b.rowsRead - a.rowsRead);
      for (const { sql, count, rowsRead, rowsWritten } of byRows) {
        const short = sql.replaceAll(/\s+/g, " ").slice(0, 150);
        lines.push(
          `${rowsWritten.toFixed(2).padStart(6)} ${rowsRead.toFixed(1).padStart(7)} ${count.toFixed(2).padStart(6)}  ${short}`,
        );
      }
    }
  }
  return lines.join("\n");
}
