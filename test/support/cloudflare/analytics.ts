// The analytics of the stand-in. A dataset returns only the fields that Cloudflare documents, and refuses others like Cloudflare, with
// status 200.
import { Hono } from "hono";
import * as z from "zod";
import { refuse } from "./answers.ts";
import type { Account } from "./state.ts";

/** The fields of each dataset, from "Metrics and analytics" of each product in Cloudflare's documentation, read 2026-11-24. */
const DATASETS: Record<string, { filter: string[]; fields: string[] }> = {
  workersInvocationsAdaptive: {
    filter: ["datetime_geq", "date_geq", "scriptName"],
    fields: ["sum.requests", "sum.errors", "quantiles.cpuTimeP99", "dimensions.scriptName", "dimensions.status"],
  },
  durableObjectsInvocationsAdaptiveGroups: {
    filter: ["datetime_geq", "date_geq", "namespaceId"],
    fields: ["sum.requests", "sum.errors", "quantiles.wallTimeP99", "dimensions.namespaceId", "dimensions.type"],
  },
  durableObjectsPeriodicGroups: {
    filter: ["datetime_geq", "date_geq", "namespaceId"],
    fields: [
      ...["sum.duration", "sum.activeTime", "sum.exceededCpuErrors", "sum.exceededMemoryErrors"],
      "dimensions.namespaceId",
    ],
  },
  d1AnalyticsAdaptiveGroups: {
    filter: ["datetime_geq", "date_geq", "databaseId"],
    fields: [
      ...["sum.readQueries", "sum.writeQueries", "sum.rowsRead", "sum.rowsWritten"],
      ...["quantiles.queryBatchTimeMsP90", "dimensions.databaseId"],
    ],
  },
  d1StorageAdaptiveGroups: {
    filter: ["date_geq", "databaseId"],
    fields: ["max.databaseSizeBytes", "dimensions.databaseId"],
  },
  queueBacklogAdaptiveGroups: {
    filter: ["datetime_geq", "queueId"],
    fields: ["avg.messages", "avg.bytes", "dimensions.queueId"],
  },
  r2OperationsAdaptiveGroups: {
    filter: ["datetime_geq", "date_geq", "bucketName"],
    fields: ["sum.requests", "dimensions.actionType", "dimensions.actionStatus"],
  },
};

const Body = z.object({ query: z.string(), variables: z.record(z.string(), z.string()) });
const QUESTION = /(\w+)\(limit: \d+, filter: \{ (\w+): \$since \}\) \{ (.*?) \} \} \} \}$/;

/** Finds a requested field that is not documented, or null. */
function unknownField(query: string): string | null {
  const [, dataset = "", filter = "", fields = ""] = QUESTION.exec(query) ?? [];
  const documented = DATASETS[dataset];
  if (documented === undefined) return dataset;
  if (!documented.filter.includes(filter)) return filter;
  const requestedFields = [...fields.matchAll(/(\w+) \{ ([\w ]+) \}/g)].flatMap(([, group, names = ""]) =>
    names.split(" ").map((name) => `${group}.${name}`),
  );
  return requestedFields.find((name) => !documented.fields.includes(name)) ?? null;
}

export function serveAnalytics(account: Account): Hono {
  const app = new Hono();
  app.post("/graphql", async (c) => {
    const body = Body.safeParse(await c.req.json());
    if (!body.success) return refuse(c, 400, 10_000, "Malformed query");
    const { query, variables } = body.data;
    const refused = (message: string) => c.json({ data: null, errors: [{ message, path: null, extensions: {} }] });
    if (variables.account !== account.id) return refused("not authorized for that account");
    const unknown = unknownField(query);
    if (unknown !== null) return refused(`unknown field "${unknown}"`);
    const [, dataset = ""] = QUESTION.exec(query) ?? [];
    const rows = account.analytics.get(dataset) ?? [];
    return c.json({ data: { viewer: { accounts: [{ [dataset]: rows }] } }, errors: null });
  });
  return app;
}
