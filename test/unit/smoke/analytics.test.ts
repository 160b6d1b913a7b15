// The queries of the smoke test to Cloudflare's analytics, and the values that it reports.
import { expect, it } from "vitest";
import { AnalyticsRefused, createCloudflare } from "../../../scripts/deploy/cloudflare.ts";
import { askAnalytics, durationPerCall, QUESTIONS } from "../../../scripts/smoke/analytics.ts";
import { type StandIn, startStandIn, TOKEN } from "../../support/cloudflare/server.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");

async function connect(onTestFinished: (end: () => Promise<void>) => void): Promise<StandIn> {
  const standIn = await startStandIn();
  onTestFinished(() => standIn.close());
  return standIn;
}
const makeClient = ({ url, account }: StandIn, accountId = account.id) =>
  createCloudflare({ baseUrl: url, headers: { authorization: `Bearer ${TOKEN}` } }, accountId);

const findQuestion = (dataset: string) => {
  const question = QUESTIONS.find((candidate) => candidate.dataset === dataset);
  if (question === undefined) throw new Error(`nobody asks ${dataset}`);
  return question;
};

it.for(QUESTIONS)("the query about the $subject uses only documented fields", async (question, { onTestFinished }) => {
  const standIn = await connect(onTestFinished);
  standIn.account.analytics.set(question.dataset, [{ dimensions: { databaseId: "d" } }]);
  expect(await askAnalytics(makeClient(standIn), question, NOW)).toEqual([{ dimensions: { databaseId: "d" } }]);
});

it("a query with an unknown field or another account fails with Cloudflare's message", async ({ onTestFinished }) => {
  const standIn = await connect(onTestFinished);
  const [question] = QUESTIONS;
  if (question === undefined) throw new Error("there is no question");
  const unknown = { ...question, fields: "sum { request }" };
  await expect(askAnalytics(makeClient(standIn), unknown, NOW)).rejects.toThrow('unknown field "sum.request"');
  const elsewhere = askAnalytics(makeClient(standIn, "f".repeat(32)), question, NOW);
  await expect(elsewhere).rejects.toThrow(AnalyticsRefused);
});

it.each([
  ["workersInvocationsAdaptive", { sum: { requests: 10_000, errors: 10 } }, { sum: { requests: 10_000, errors: 11 } }],
  [
    "workersInvocationsAdaptive",
    { sum: { requests: 1 }, dimensions: { status: "success" } },
    { sum: { requests: 1 }, dimensions: { status: "exceededMemory" } },
  ],
  ["workersInvocationsAdaptive", { quantiles: { cpuTimeP99: 5e6 } }, { quantiles: { cpuTimeP99: 5_000_001 } }],
  [
    "durableObjectsInvocationsAdaptiveGroups",
    { sum: { requests: 100, errors: 1 } },
    { sum: { requests: 100, errors: 2 } },
  ],
  [
    "durableObjectsInvocationsAdaptiveGroups",
    { quantiles: { wallTimeP99: 7e8 }, dimensions: { type: "fetch" } },
    { quantiles: { wallTimeP99: 7e8 }, dimensions: { type: "alarm" } },
  ],
  ["durableObjectsPeriodicGroups", { sum: { exceededCpuErrors: 0 } }, { sum: { exceededCpuErrors: 1 } }],
  ["durableObjectsPeriodicGroups", { sum: { exceededMemoryErrors: 0 } }, { sum: { exceededMemoryErrors: 1 } }],
  [
    "d1AnalyticsAdaptiveGroups",
    { sum: { rowsRead: 2_000, readQueries: 1, writeQueries: 1 } },
    { sum: { rowsRead: 2_001, readQueries: 1, writeQueries: 1 } },
  ],
  [
    "d1AnalyticsAdaptiveGroups",
    { quantiles: { queryBatchTimeMsP90: 100 } },
    { quantiles: { queryBatchTimeMsP90: 101 } },
  ],
  ["d1StorageAdaptiveGroups", { max: { databaseSizeBytes: 7e9 } }, { max: { databaseSizeBytes: 7_000_000_001 } }],
  ["queueBacklogAdaptiveGroups", { avg: { messages: 100 } }, { avg: { messages: 101 } }],
  [
    "r2OperationsAdaptiveGroups",
    { sum: { requests: 3 }, dimensions: { actionStatus: "success" } },
    { sum: { requests: 3 }, dimensions: { actionStatus: "internalError" } },
  ],
  [
    "r2OperationsAdaptiveGroups",
    { sum: { requests: 3 }, dimensions: { actionStatus: "success" } },
    { sum: { requests: 3 }, dimensions: { actionStatus: "userError" } },
  ],
])("the query of %s accepts %j and reports %j", (dataset, harmless, alarming) => {
  const { judge } = findQuestion(dataset);
  expect(judge([])).toEqual([]);
  expect(judge([harmless])).toEqual([]);
  expect(judge([alarming])).toHaveLength(1);
});

it("durationPerCall computes the gigabyte-seconds of each call by namespace", () => {
  const calls = [
    { sum: { requests: 10 }, dimensions: { namespaceId: "a", type: "alarm" } },
    { sum: { requests: 30 }, dimensions: { namespaceId: "a", type: "fetch" } },
  ];
  const periods = [
    { sum: { duration: 4 }, dimensions: { namespaceId: "a" } },
    { sum: { duration: 2 }, dimensions: { namespaceId: "b" } },
  ];
  expect([...durationPerCall(calls, periods)]).toEqual([
    ["a", 0.1],
    ["b", 2],
  ]);
});
