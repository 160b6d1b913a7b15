import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { repeatReads } from "../../../src/dashboard/repeat-reads.ts";

it("repeats a first read that was answered before the change", async () => {
  const queries = new QueryClient();
  const webhooks: string[] = [];
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(queries, {
    queryKey: ["ws_1", "webhooks"],
    queryFn: () => {
      const answer = [...webhooks];
      return new Promise<string[]>((resolve) => answers.push(() => resolve(answer)));
    },
  });
  const stop = observer.subscribe(() => {});
  webhooks.push("https://example.com/hook");
  const repeated = repeatReads(queries, ["ws_1"]);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  await repeated;
  expect(observer.getCurrentResult().data).toEqual(webhooks);
  stop();
  queries.clear();
});
