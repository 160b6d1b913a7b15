// The cost of a month from the meters: deliveries with everything before and after them.
import { FULL_RECHECKS } from "../../src/domain/delivery/recheck.ts";
import { MCP_LISTEN_MAX_MS, MINUTE_MS } from "../../src/domain/limits.ts";
import type { Activities } from "./activities.ts";
import type { Costs } from "./costs.ts";
import { billMonth, METERS, NO_USE, PLAN_PRICE, PRICES, sumUses, type Use } from "./prices.ts";
import type { Results } from "./print.ts";

/** Deliveries a month. */
const MONTHS = [1_000, 100_000, 1_000_000, 30_000_000];
/** For this number the table lists the cost of each meter. */
const MONTHS_IN_FULL = [1_000_000, 30_000_000];
const MONTH_DAYS = 30;
const SWEEPS_PER_DAY = 24 * 60;

/** Deliveries per person and day: five posts, each on four channels. */
export const DELIVERIES_PER_DAY = 20;
/** Those with an image: two of the five posts. */
const WITH_PICTURE = 8;
/** One person in a hundred has an agent that listens for eight hours a day. */
const LISTENING_STREAMS = (0.01 * 8 * 60 * MINUTE_MS) / MCP_LISTEN_MAX_MS;

/** Other activities of one person in a day, each with its number. */
export const USES_PER_DAY = {
  preflight: 2 * DELIVERIES_PER_DAY,
  webhook: DELIVERIES_PER_DAY,
  lookUp: 5,
  signIn: 1,
  dashboardPage: 20,
  dashboardMinute: 30,
  read: 100,
  tool: 50,
} as const satisfies Partial<Record<keyof Activities, number>>;

/**
 * A stream of `subscriptions/listen` lasts ten minutes, and 128 MB are billed while it is open. A call opens it, and
 * an alarm ends it.
 */
const LISTENING: Use = {
  ...NO_USE,
  requests: 1,
  objectRequests: 2,
  objectRowsWritten: 1,
  objectGigabyteSeconds: (MCP_LISTEN_MAX_MS / 1000) * 0.128,
};

/**
 * The bytes of a delivery's rows in D1 if posts are kept for two months and events for ninety days: npm run bench:growth of 2026-11-21,
 * 1,259 bytes for two months and a half and 707 for three.
 */
const DATABASE_GIGABYTES = 4.64e-6;
/** The empty database of an object takes 12 KB (developers.cloudflare.com/durable-objects/reference/faq, read 2026-11-24). */
const OBJECT_GIGABYTES_STORED = 16e-6;
/** The objects of one person: a publisher, an endpoint, an agent, counters. */
const OBJECTS_PER_PERSON = 8;

/** The usage of the delivery of a text post, of the time after it is live, and of all other activities. */
export interface Measured {
  delivery: Use;
  recheck: Use;
  activities: Activities;
}

/** The usage of one person in a day, without sweeps, which run once for the whole deployment. */
export function useOfDay({ delivery, recheck, activities }: Measured, isFree = false): Use {
  const stored = {
    ...NO_USE,
    d1Gigabytes: DATABASE_GIGABYTES * DELIVERIES_PER_DAY,
    objectGigabytes: (OBJECTS_PER_PERSON * OBJECT_GIGABYTES_STORED) / MONTH_DAYS,
  };
  return sumUses([
    [DELIVERIES_PER_DAY - WITH_PICTURE, delivery],
    [WITH_PICTURE, activities.picture],
    [DELIVERIES_PER_DAY * FULL_RECHECKS, recheck],
    [USES_PER_DAY.preflight, activities.preflight],
    [USES_PER_DAY.webhook, activities.webhook],
    [USES_PER_DAY.lookUp, activities.lookUp],
    [USES_PER_DAY.signIn, activities.signIn],
    [USES_PER_DAY.dashboardPage, activities.dashboardPage],
    [USES_PER_DAY.dashboardMinute, activities.dashboardMinute],
    [USES_PER_DAY.read, activities.read],
    [USES_PER_DAY.tool, activities.tool],
    [isFree ? 0 : LISTENING_STREAMS, LISTENING],
    [1, stored],
  ]);
}

/** The usage of sweeps in a day. */
export const useOfSweeps = ({ activities }: Measured): Use => sumUses([[SWEEPS_PER_DAY, activities.sweep]]);

const sumMonth = (measured: Measured, deliveries: number): Use =>
  sumUses([
    [deliveries / DELIVERIES_PER_DAY, useOfDay(measured)],
    [MONTH_DAYS, useOfSweeps(measured)],
  ]);

const dollars = (value: number) => `$${value.toFixed(2)}`;
const amount = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toLocaleString("en", { maximumSignificantDigits: 3 });

/** The tables of docs/performance.md, in Markdown; empty if a part was not measured. */
export function monthTable(results: Results[]): string {
  return results.flatMap(monthTables).join("\n");
}

function monthTables({ name, price4, price1, recheck, activities }: Results): string[] {
  const [four, single, oneRecheck, around] = [price4.at(-1), price1.at(-1), recheck.at(-1), activities.at(-1)];
  if (four === undefined || single === undefined || oneRecheck === undefined || around === undefined) return [];
  const measured = (delivery: Use): Measured => ({ delivery, recheck: oneRecheck.use, activities: around });
  const onFour = measured(four.use);
  const months = MONTHS_IN_FULL.map((count) => ({ count, use: sumMonth(onFour, count) }));
  return [
    ...deliveryTable({
      "a delivery of a post for four channels": four,
      "a delivery of a post for one channel": single,
      "a recheck": oneRecheck,
    }),
    "",
    `${name}: the bill of a month of Workers Paid`,
    "",
    "| deliveries a month | posts on four channels | posts on one channel | four channels, the deliveries alone |",
    "|---|---|---|---|",
    ...MONTHS.map((count) => {
      const bill = (use: Use) => dollars(billMonth(use).total);
      const alone = bill(sumUses([[count, four.use]]));
      return `| ${count.toLocaleString("en")} | ${bill(sumMonth(onFour, count))} | ${bill(sumMonth(measured(single.use), count))} | ${alone} |`;
    }),
    "",
    `| meter, posts on four channels | ${months.map(({ count }) => `${count.toLocaleString("en")}: used | billed`).join(" | ")} |`,
    `|---|${months.map(() => "---|---|").join("")}`,
    ...METERS.map((meter) => {
      const cells = months.flatMap(({ use }) => [amount(use[meter]), dollars(billMonth(use).byMeter[meter])]);
      return `| ${PRICES[meter].label} | ${cells.join(" | ")} |`;
    }),
    `| the plan | ${months.map(() => `| ${dollars(PLAN_PRICE)}`).join(" | ")} |`,
    `| total | ${months.map(({ use }) => `| ${dollars(billMonth(use).total)}`).join(" | ")} |`,
    "",
    ...activityTable(onFour),
  ];
}

/** The cost of one delivery without the activities around it. */
function deliveryTable(costsByLabel: Record<string, Costs>): string[] {
  const formatSum = ({ create, publish }: { create: number; publish: number }) => (create + publish).toFixed(2);
  return [
    "",
    "| | D1 rows written | round trips to D1 | gigabyte-seconds of objects | a million |",
    "|---|---|---|---|---|",
    ...Object.entries(costsByLabel).map(([label, { rowsWritten, roundTrips, use, price }]) => {
      const cells = [
        formatSum(rowsWritten),
        formatSum(roundTrips),
        use.objectGigabyteSeconds.toFixed(2),
        dollars(price.total),
      ];
      return `| ${label} | ${cells.join(" | ")} |`;
    }),
  ];
}

/** The cost of a million of each activity, beyond what the plan includes. */
function activityTable({ delivery, recheck, activities }: Measured): string[] {
  const rows: [string, Use][] = [
    ["a delivery of text, post on four channels", delivery],
    ["a delivery with an image, post on four channels", activities.picture],
    ["a recheck after publishing", recheck],
    ["a pre-flight check", activities.preflight],
    ["a webhook message", activities.webhook],
    ["a list of options", activities.lookUp],
    ["a sign-in", activities.signIn],
    ["a page of the dashboard", activities.dashboardPage],
    ["a minute of an open dashboard", activities.dashboardMinute],
    ["a read by a program", activities.read],
    ["a tool call over MCP", activities.tool],
    ["ten minutes of an MCP stream", LISTENING],
    ["a sweep", activities.sweep],
  ];
  return [
    "| each | D1 rows read | D1 rows written | object requests | object GB-s | queue operations | processor ms | a million |",
    "|---|---|---|---|---|---|---|---|",
    ...rows.map(([label, use]) => {
      const { d1RowsRead, d1RowsWritten, objectRequests, objectGigabyteSeconds, queueOperations, cpuMs } = use;
      const cells = [d1RowsRead, d1RowsWritten, objectRequests, objectGigabyteSeconds, queueOperations, cpuMs].map(
        amount,
      );
      return `| ${label} | ${cells.join(" | ")} | ${dollars(billMonth(sumUses([[1e12, use]])).total / 1e6)} |`;
    }),
  ];
}
