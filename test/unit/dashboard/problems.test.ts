// The problems of a post, and the button that solves a failure.
import { describe, expect, it } from "vitest";
import { decideProblem } from "../../../src/dashboard/problems/find-problems.ts";
import { findSolution } from "../../../src/dashboard/problems/solutions.ts";
import { FAILURES } from "../../../src/domain/delivery/failure.ts";

type Outcome = Parameters<typeof decideProblem>[0][number];

const decide = (...outcomes: Partial<Outcome>[]) =>
  decideProblem(outcomes.map((outcome): Outcome => ({ status: "live", removed_by: null, readback: null, ...outcome })))
    ?.kind;
const ALTERED: Partial<Outcome> = { readback: { state: "altered", altered: ["text"] } };
const REMOVED: Partial<Outcome> = { status: "removed", removed_by: "network" };

describe("the problem of a post", () => {
  it("is a failure before a removal, and a removal before a change", () => {
    expect(decide(ALTERED, REMOVED, { status: "failed" })).toBe("failed");
    expect(decide(ALTERED, REMOVED)).toBe("removed");
    expect(decide(ALTERED)).toBe("altered");
  });

  it("is none if the post is live, or was taken down after a change", () => {
    expect(decide({})).toBeUndefined();
    expect(decide({ ...ALTERED, status: "removed", removed_by: "you" })).toBeUndefined();
  });
});

describe("the solution of a failure", () => {
  const solve = (action: string, state: "connected" | "needs_reconnect" = "needs_reconnect") =>
    findSolution([{ channel: "ch_a", status: "failed", action }], [{ id: "ch_a", state }]);

  it("is to reconnect a lost account, and to send again once it is connected", () => {
    expect(solve(FAILURES.token_expired.action)).toBe("reconnect");
    expect(solve(FAILURES.token_expired.action, "connected")).toBe("send_again");
    expect(solve(FAILURES.permission_missing.action, "connected")).toBe("reconnect");
  });

  it("is to fix what the network refused, and never to send again what may be live", () => {
    expect(solve(FAILURES.content_refused.action)).toBe("fix");
    expect(solve(FAILURES.media_refused.action)).toBe("fix");
    expect(solve(FAILURES.network_unavailable.action)).toBe("send_again");
    expect(solve(FAILURES.outcome_unknown.action)).toBe("review");
    expect(solve("an action of a later release")).toBe("review");
  });
});
