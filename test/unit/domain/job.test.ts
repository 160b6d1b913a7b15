// Queue messages may come from any release. An invalid message is ignored without an error.
import { expect, it } from "vitest";
import { readJob } from "../../../src/domain/job.ts";

const lane = { workspace: "ws_1", lane: 0 };

it.each([
  { kind: "publish", ...lane },
  { kind: "renew_credential", ...lane, channel: "ch_1" },
  { kind: "after_publish", ...lane, channel: "ch_1", posts: ["post_1"] },
  { kind: "preflight", ...lane, channel: "ch_1", posts: ["post_1"], minutes: 5 },
  { kind: "follow_ups", ...lane, tasks: [{ kind: "renew_credential", channel: "ch_1" }] },
  { kind: "clear_workspace", workspace: "ws_1" },
])("readJob reads the message %j, without fields of other releases", (job) => {
  expect(readJob({ ...job, of: "another release" })).toEqual(job);
});

it.each([
  { kind: "after_publish", ...lane, channel: "c", posts: [{ toString: 1, valueOf: 1 }] },
  { kind: "after_publish", ...lane, channel: "c", posts: ["p", 7] },
  { kind: "preflight", ...lane, channel: "c", posts: [{ toString: null }], minutes: 5 },
  { kind: "follow_ups", ...lane, tasks: [{ kind: "after_publish", channel: "c", posts: [{ toString: {} }] }] },
  { kind: "follow_ups", ...lane, tasks: [] },
  { kind: "publish", workspace: "ws_1", lane: 0.5 },
  { kind: "publish", workspace: "ws_1", lane: -1 },
  { kind: "publish", workspace: "ws_1", lane: 1e300 },
  { kind: "publish", workspace: "w".repeat(50_000), lane: 0 },
  { kind: "publish", workspace: "", lane: 0 },
])("readJob reads no job from the message %j", (body) => {
  expect(readJob(body)).toBeNull();
});
