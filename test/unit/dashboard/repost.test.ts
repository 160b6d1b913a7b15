// A repost of a partially published post never includes a channel on which the post may already be live.
import { expect, it } from "vitest";
import { planRepost } from "../../../src/dashboard/compose/repost.tsx";
import type { Delivery } from "../../../src/dashboard/types.ts";

type Deliveries = Parameters<typeof planRepost>[0];
type Outcome = Pick<Delivery, "channel" | "status"> & Partial<Pick<Delivery, "error" | "parts" | "removed_by">>;

const deliver = (outcomes: Outcome[]): Deliveries =>
  outcomes.map((outcome) => ({ error: null, parts: null, removed_by: null, ...outcome }));

it("a repost includes the channels that failed, and none on which the post is live, was taken down or was cancelled", () => {
  const deliveries = deliver([
    { channel: "ch_live", status: "live" },
    { channel: "ch_failed", status: "failed", error: "content_rejected" },
    { channel: "ch_removed", status: "removed", removed_by: "you" },
    { channel: "ch_cancelled", status: "cancelled" },
    { channel: "ch_retrying", status: "retrying" },
  ]);
  expect(planRepost(deliveries)).toEqual({ failed: ["ch_failed"], live: ["ch_live"], unknown: [] });
});

it("a repost includes a channel whose network removed the post", () => {
  const deliveries = deliver([
    { channel: "ch_live", status: "live" },
    { channel: "ch_removed", status: "removed", removed_by: "network" },
  ]);
  expect(planRepost(deliveries)).toEqual({ failed: ["ch_removed"], live: ["ch_live"], unknown: [] });
});

it("a repost leaves out a channel whose outcome is unknown, because the post may be live", () => {
  const deliveries = deliver([{ channel: "ch_x", status: "failed", error: "outcome_unknown" }]);
  expect(planRepost(deliveries)).toEqual({ failed: [], live: [], unknown: ["ch_x"] });
});

it("a repost leaves out a channel on which the first part of a thread is live", () => {
  const parts: Delivery["parts"] = [
    { position: 1, status: "live", url: "https://x.example/1" },
    { position: 2, status: "failed", url: null },
  ];
  const deliveries = deliver([{ channel: "ch_x", status: "failed", error: "thread_stopped", parts }]);
  expect(planRepost(deliveries)).toEqual({ failed: [], live: ["ch_x"], unknown: [] });
});
