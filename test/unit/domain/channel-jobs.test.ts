import { expect, it } from "vitest";
import { afterPublishJobs, preflightJobs } from "../../../src/domain/channel-jobs.ts";
import { readJob } from "../../../src/domain/job.ts";

const makeKeys = (count: number, lane = 0, posts = 1) =>
  Array.from({ length: count * posts }, (_, i) => ({
    workspaceId: "ws_1",
    lane,
    channelId: `ch_${lane}_${i % count}`,
    postId: `post_${i}`,
  }));

it("one message carries the rechecks of all channels of a lane", () => {
  const jobs = afterPublishJobs([...makeKeys(4), ...makeKeys(2, 1)]);
  expect(jobs.map(({ lane, tasks }) => [lane, tasks.length])).toEqual([
    [0, 4],
    [1, 2],
  ]);
  expect(jobs[1]?.tasks[0]).toEqual({ kind: "after_publish", channel: "ch_1_0", posts: ["post_0"] });
});

it("a message stays far below the queue's size limit, however many deliveries come due at once", () => {
  const jobs = preflightJobs(makeKeys(16, 0, 200), 60);
  expect(jobs.flatMap(({ tasks }) => tasks.flatMap((task) => ("posts" in task ? task.posts : [])))).toHaveLength(3_200);
  // 128 KB: developers.cloudflare.com/queues/platform/limits, read 2026-11-24.
  for (const job of jobs) expect(JSON.stringify(job).length).toBeLessThan(32_000);
});

it("tasks of a later release in a message are ignored", () => {
  const task = { kind: "after_publish", channel: "ch_1", posts: ["post_1"] };
  const message = {
    kind: "follow_ups",
    workspace: "ws_1",
    lane: 3,
    tasks: [task, { kind: "later", channel: "ch_1" }, 7],
  };
  expect(readJob(message)).toEqual({ kind: "follow_ups", workspace: "ws_1", lane: 3, tasks: [task] });
});
