// Queries Cloudflare's analytics for the last day, and reports alarming numbers.
// Names and units of the fields: developers.cloudflare.com, "Metrics and analytics" of Workers, Durable Objects, D1, Queues
// and R2, read 2026-11-24. CPU and wall times are microseconds, `duration` is gigabyte-seconds. Figures arrive about eight
// minutes late.
import * as z from "zod";
import type { Cloudflare } from "../deploy/cloudflare.ts";

const DAY_MS = 86_400_000;

const Row = z.object({
  sum: z.record(z.string(), z.number().nullable()).nullish(),
  max: z.record(z.string(), z.number().nullable()).nullish(),
  avg: z.record(z.string(), z.number().nullable()).nullish(),
  quantiles: z.record(z.string(), z.number().nullable()).nullish(),
  dimensions: z.record(z.string(), z.string()).nullish(),
});
type Row = z.infer<typeof Row>;
const Rows = z.array(Row);
const Answer = z.object({
  viewer: z.object({ accounts: z.array(z.record(z.string(), Rows)).min(1) }),
});

/** The alarms for the rows of a query; empty if nothing is alarming. */
type Judge = (rows: Row[]) => string[];

export interface Question {
  /** The subject of the query. */
  subject: string;
  dataset: string;
  /** The filter field for the start of the period. */
  since: "datetime_geq" | "date_geq";
  fields: string;
  /** When an operator should act, in words. */
  alarming: string;
  judge: Judge;
}

const sum = (row: Row, name: string) => row.sum?.[name] ?? 0;
const dimension = (row: Row, name: string) => row.dimensions?.[name] ?? "";
const total = (rows: Row[], name: string) => rows.reduce((runningTotal, row) => runningTotal + sum(row, name), 0);
const percent = (portion: number, whole: number) => (whole === 0 ? 0 : (100 * portion) / whole);
const show = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });

/** Judges each row separately. */
const judgeEach =
  (find: (row: Row) => string | null): Judge =>
  (rows) =>
    rows.flatMap((row) => find(row) ?? []);

export const QUESTIONS: readonly Question[] = [
  {
    subject: "Worker",
    dataset: "workersInvocationsAdaptive",
    since: "datetime_geq",
    fields: "sum { requests errors } quantiles { cpuTimeP99 } dimensions { scriptName status }",
    alarming:
      "`errors` above 0.1 % of `requests`; `status` `exceededResources` or `exceededMemory` at all; `cpuTimeP99` above 5,000,000 (µs)",
    judge(rows) {
      const errors = percent(total(rows, "errors"), total(rows, "requests"));
      return [
        ...(errors > 0.1 ? [`${show(errors)} % of the requests failed`] : []),
        ...judgeEach((row) => {
          const [script, status] = [dimension(row, "scriptName"), dimension(row, "status")];
          if (status === "exceededResources" || status === "exceededMemory") return `${script} ended with ${status}`;
          const cpu = row.quantiles?.cpuTimeP99 ?? 0;
          return cpu > 5_000_000 ? `${script} used ${show(cpu / 1_000)} ms of processor time` : null;
        })(rows),
      ];
    },
  },
  {
    subject: "objects",
    dataset: "durableObjectsInvocationsAdaptiveGroups",
    since: "datetime_geq",
    fields: "sum { requests errors } quantiles { wallTimeP99 } dimensions { namespaceId type }",
    alarming:
      "`errors` above 1 % outside of the minutes of a deploy; `wallTimeP99` of alarms above 600,000,000 (µs): an alarm ends after 15 minutes",
    judge: judgeEach((row) => {
      const [id, type] = [dimension(row, "namespaceId"), dimension(row, "type")];
      const errors = percent(sum(row, "errors"), sum(row, "requests"));
      if (errors > 1) return `${show(errors)} % of the calls (${type}) of ${id} failed`;
      const wall = row.quantiles?.wallTimeP99 ?? 0;
      return type === "alarm" && wall > 600_000_000 ? `alarms of ${id} took ${show(wall / 1e6)} s` : null;
    }),
  },
  {
    subject: "object memory",
    dataset: "durableObjectsPeriodicGroups",
    since: "datetime_geq",
    fields: "sum { duration exceededCpuErrors exceededMemoryErrors } dimensions { namespaceId }",
    alarming: "any exceeded error; `duration` (GB-s) above 0.3 for each call of the namespace: objects are not let go",
    judge: judgeEach((row) => {
      const errors = sum(row, "exceededCpuErrors") + sum(row, "exceededMemoryErrors");
      return errors > 0 ? `${dimension(row, "namespaceId")} exceeded its limits ${errors} times` : null;
    }),
  },
  {
    subject: "database",
    dataset: "d1AnalyticsAdaptiveGroups",
    since: "datetime_geq",
    fields:
      "sum { readQueries writeQueries rowsRead rowsWritten } quantiles { queryBatchTimeMsP90 } dimensions { databaseId }",
    alarming: "`rowsRead` above 1,000 for each query: an index is missing; `queryBatchTimeMsP90` above 100",
    judge: judgeEach((row) => {
      const id = dimension(row, "databaseId");
      const read = sum(row, "rowsRead") / Math.max(1, sum(row, "readQueries") + sum(row, "writeQueries"));
      if (read > 1_000) return `${id} read ${show(read)} rows for each query`;
      const batch = row.quantiles?.queryBatchTimeMsP90 ?? 0;
      return batch > 100 ? `one batch in ten of ${id} took ${show(batch)} ms` : null;
    }),
  },
  {
    subject: "database size",
    dataset: "d1StorageAdaptiveGroups",
    since: "date_geq",
    fields: "max { databaseSizeBytes } dimensions { databaseId }",
    alarming: "above 7,000,000,000",
    judge: judgeEach((row) => {
      const bytes = row.max?.databaseSizeBytes ?? 0;
      return bytes > 7e9 ? `${dimension(row, "databaseId")} has ${show(bytes)} bytes` : null;
    }),
  },
  {
    subject: "queues",
    dataset: "queueBacklogAdaptiveGroups",
    since: "datetime_geq",
    fields: "avg { messages } dimensions { queueId }",
    alarming: "above 100 for more than five minutes; anything in the queue of dead letters",
    judge: judgeEach((row) => {
      const messages = row.avg?.messages ?? 0;
      return messages > 100 ? `${show(messages)} messages wait in ${dimension(row, "queueId")}` : null;
    }),
  },
  {
    subject: "bucket",
    dataset: "r2OperationsAdaptiveGroups",
    since: "datetime_geq",
    fields: "sum { requests } dimensions { actionType actionStatus }",
    alarming: "`actionStatus` `internalError` at all; `userError` above 1 % (refused uploads)",
    judge(rows) {
      const failed = (status: string) =>
        total(
          rows.filter((row) => dimension(row, "actionStatus") === status),
          "requests",
        );
      const refused = percent(failed("userError"), total(rows, "requests"));
      return [
        ...(failed("internalError") > 0 ? [`${failed("internalError")} calls ended with internalError`] : []),
        ...(refused > 1 ? [`${show(refused)} % of the calls were refused`] : []),
      ];
    },
  },
];

const selectDataset = ({ dataset, since, fields }: Question) =>
  `${dataset}(limit: 100, filter: { ${since}: $since }) { ${fields} }`;

/** The text of a query; its variables are `account` and `since`. */
const buildQuery = (question: Question): string =>
  `query ($account: string!, $since: ${question.since === "date_geq" ? "Date" : "Time"}!) { viewer { accounts(filter: { accountTag: $account }) { ${selectDataset(question)} } } }`;

/** The rows for the day before `now` (epoch milliseconds). */
export async function askAnalytics(cloudflare: Cloudflare, question: Question, now: number): Promise<Row[]> {
  const instant = new Date(now - DAY_MS).toISOString();
  const since = question.since === "date_geq" ? instant.slice(0, 10) : instant;
  const { viewer } = await cloudflare.graphql(Answer, buildQuery(question), { account: cloudflare.accountId, since });
  return viewer.accounts[0]?.[question.dataset] ?? [];
}

/**
 * Gigabyte-seconds for each call of an object, by namespace. An object that is released after its work costs at most 0.3.
 */
export function durationPerCall(calls: Row[], periods: Row[]): Map<string, number> {
  const requests = new Map<string, number>();
  for (const row of calls) {
    const id = dimension(row, "namespaceId");
    requests.set(id, (requests.get(id) ?? 0) + sum(row, "requests"));
  }
  return new Map(
    periods.map((row) => {
      const id = dimension(row, "namespaceId");
      return [id, sum(row, "duration") / Math.max(1, requests.get(id) ?? 0)];
    }),
  );
}
