// An edit of a live text counts as done only if the network says so, in its answer or in a recheck that shows the new text.
import { describe, expect, it } from "vitest";
import { decideEdit, unclearEdit } from "../../../src/domain/delivery/edit.ts";
import { mayFollowUpBecome, REQUEST_WAITS_MS } from "../../../src/domain/delivery/follow-up-moves.ts";
import type { Edited, RecheckOutcome } from "../../../src/domain/delivery/outcome.ts";

const NOW = 1_000_000;
const SHOWN: RecheckOutcome = { is: "there", url: null, altered: [] };
const OLD: RecheckOutcome = { is: "there", url: null, altered: ["text"] };
const UNCOMPARED: RecheckOutcome = { is: "there", url: null };
const GONE: RecheckOutcome = { is: "gone" };
const UNSEEN: RecheckOutcome = { is: "unknown" };
const LOST: Edited = { is: "unknown", detail: "no answer" };
const MISSING: Edited = { is: "missing" };

const LAST = REQUEST_WAITS_MS.length;

describe("the outcome of an edit", () => {
  it.each<[string, Edited, RecheckOutcome | null, number, string]>([
    ["the network confirms it", { is: "edited" }, null, 0, "edited"],
    ["the network refuses it", { is: "rejected", error: "content_refused" }, null, 0, "refused"],
    ["its answer is lost, and the post has the new text", LOST, SHOWN, 0, "edited"],
    ["its answer is lost, and the post has the old text", LOST, OLD, 0, "put_off"],
    ["its answer is lost, and the post cannot be compared", LOST, UNCOMPARED, 0, "put_off"],
    ["its answer is lost, and the post is gone", LOST, GONE, 0, "refused"],
    ["the network waits", { is: "retryable", error: "network_quota" }, null, 0, "put_off"],
    ["the network does not know a post that the account can see", MISSING, OLD, 0, "refused"],
    ["the network does not know the post, and cannot be asked", MISSING, UNSEEN, 0, "put_off"],
    ["the last answer is lost, and the post has the old text", LOST, OLD, LAST, "refused"],
    ["the last answer is lost, and the post cannot be compared", LOST, UNCOMPARED, LAST, "unclear"],
    ["the network still waits at the last try", { is: "retryable", error: "network_quota" }, null, LAST, "unclear"],
  ])("if %s", (_, answer, recheckOutcome, tries, move) => {
    const outcome = decideEdit(answer, recheckOutcome, tries, NOW);
    expect(outcome.move).toBe(move);
    expect(outcome.nextAt).toBe(move === "put_off" ? NOW + (REQUEST_WAITS_MS[tries] ?? 0) : null);
  });

  it("waits at least as long as the network asks", () => {
    const answer: Edited = { is: "retryable", error: "network_quota", notBefore: NOW + 9_000_000 };
    expect(decideEdit(answer, null, 0, NOW)).toMatchObject({ move: "put_off", nextAt: NOW + 9_000_000 });
  });

  it("says that the text may be either one if nothing more can be found out", () => {
    expect(unclearEdit({ detail: "no answer" }).detail).toBe(
      "the text may not have been changed; check the network: no answer",
    );
  });

  it("an edit can be asked for again from each end, and never has a call that cannot be repeated", () => {
    for (const from of ["done", "failed", "unknown"] as const)
      expect(mayFollowUpBecome("edit", from, "due")).toBe(true);
    expect(mayFollowUpBecome("edit", "due", "sending")).toBe(false);
    expect(mayFollowUpBecome("takedown", "done", "due")).toBe(false);
  });
});
