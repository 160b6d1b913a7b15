import { describe, expect, it } from "vitest";
import {
  type DeliveryDecision,
  type DeliveryFacts,
  decideFailure,
  decideOutcome,
  type Recovery,
} from "../../../src/domain/delivery/decide-outcome.ts";
import { decideReconciliation } from "../../../src/domain/delivery/decide-reconciliation.ts";
import type { Outcome, PrepareOutcome, ReconcileOutcome } from "../../../src/domain/delivery/outcome.ts";
import { decideThreadStep, stepLeaves } from "../../../src/domain/delivery/thread.ts";
import {
  type DeliveryState,
  ENDED,
  isEnded,
  isState,
  MAYBE_SENT,
  MOVES,
  type Move,
  maybeSent,
  mayFollow,
  movesBetween,
  STATUS_OF,
  TransitionNotAllowed,
  UNSENT,
  WHEN,
} from "../../../src/domain/delivery/transitions.ts";

const STATES = Object.keys(STATUS_OF).filter(isState);
const ALL: readonly Move[] = Object.values(MOVES);
it("every transition names its cause", () => {
  expect(Object.keys(WHEN)).toEqual(Object.keys(MOVES));
});

describe("the table", () => {
  it("the table of moves leads to every state but the first, and cancels or fails a possibly published delivery only by the network's answer", () => {
    expect(new Set(ALL.map(({ to }) => to))).toEqual(new Set(STATES.filter((state) => state !== "pending")));
    for (const from of MAYBE_SENT) expect(mayFollow(from, "cancelled")).toBe(false);
    for (const from of ["processing", "reconciling"] as const)
      for (const move of movesBetween(from, "failed")) expect(move).toBe(MOVES.ended_by_network);
  });

  it("the table lets an ended delivery continue only by proof, by a recheck or by its owner's decision", () => {
    for (const from of ENDED)
      for (const move of ALL.filter((move) => move.from.includes(from))) {
        const { to, by: actors } = move;
        const allowed = { live: "outcome_unknown", handed_over: "outcome_unknown", removed: "live" }[String(to)];
        if (allowed !== from && move.ofThread !== true) expect(actors, to).toEqual(["caller"]);
      }
  });

  it("the table lets a row be rewritten in its current state until the delivery has ended", () => {
    for (const state of STATES) expect(mayFollow(state, state), state).toBe(!isEnded(state));
  });

  it("maybeSent distinguishes possibly published deliveries from unsent and ended ones", () => {
    for (const state of STATES) {
      const isEither = isEnded(state) || UNSENT.some((unsent) => unsent === state);
      expect(maybeSent(state), state).toBe(!isEither);
    }
  });

  it("the error of a rejected transition names both states", () => {
    const refused = new TransitionNotAllowed("sending", "cancelled");
    expect(String(refused)).toBe("TransitionNotAllowed: a delivery in sending may not become cancelled");
  });

  it("all moves of an actor between two states have the same event", () => {
    for (const from of STATES)
      for (const to of STATES)
        for (const actor of ["publisher", "caller"] as const) {
          const events = movesBetween(from, to).flatMap((move) => (move.by.includes(actor) ? [move.event] : []));
          expect(new Set(events).size, `${from} -> ${to}`).toBeLessThanOrEqual(1);
        }
  });
});

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
describe("a thread", () => {
  const live = { id: "1", url: null, urlState: "none" } as const;
  const outcome = { nextAt: null, hasOpenSend: false, retries: 3, error: null, detail: null } as const;
  const first = { position: 0, last: 1, isHeldBack: false };
  const last = { ...first, position: 1 };
  const proof: DeliveryDecision = { state: "live", live, event: "delivery.succeeded", ...outcome };

  it("threads have additional moves, which other deliveries do not have", () => {
    expect(ALL.filter(({ ofThread }) => ofThread)).toEqual([
      MOVES.part_live,
      MOVES.part_found,
      MOVES.part_held_back,
      MOVES.parts_taken_down,
    ]);
    expect(mayFollow("reconciling", "staged")).toBe(false);
    expect(mayFollow("outcome_unknown", "failed")).toBe(false);
    expect(mayFollow("failed", "removed")).toBe(false);
  });

  it("a thread continues with the next part after each part, and ends with the last", () => {
    for (const state of [...UNSENT, ...MAYBE_SENT]) {
      expect(decideThreadStep(proof, first, state, NOW)).toMatchObject({
        move: "part_live",
        decision: { state: "staged", nextAt: NOW, retries: 0, event: null, publishKey: null, live },
      });
      expect(decideThreadStep(proof, last, state, NOW)).toEqual({ move: "proven", decision: proof });
    }
    expect(decideThreadStep(proof, first, "outcome_unknown", NOW)).toMatchObject({
      move: "part_found",
      decision: { state: "failed", nextAt: null, error: "thread_stopped", event: "delivery.failed" },
    });
    const failed: DeliveryDecision = { state: "failed", event: "delivery.failed", ...outcome };
    expect(decideThreadStep(failed, first, "sending", NOW)).toBeNull();
  });

  it("a thread whose database was restored sends no further part, because the next part may already be published", () => {
    const place = { position: 0, last: 2, isHeldBack: true };
    for (const state of MOVES.part_held_back.from) {
      const step = decideThreadStep(proof, place, state, NOW);
      expect(step).toMatchObject({
        move: "part_held_back",
        decision: {
          state: "outcome_unknown",
          nextAt: null,
          hasOpenSend: true,
          error: "outcome_unknown",
          publishKey: null,
        },
      });
      expect(step !== null && stepLeaves(step, state)).toBe(true);
    }
    expect(decideThreadStep(proof, { ...place, position: 2 }, "reconciling", NOW)?.move).toBe("proven");
  });
});

const failure = { error: "content_refused", detail: "no" } as const;
const ANSWERS = [
  { is: "live", id: "1", url: null, urlState: "pending" },
  { is: "processing", publishKey: {}, askAt: NOW },
  { is: "retryable", ...failure },
  { is: "retryable", ...failure, notBefore: NOW + 60_000 },
  { is: "retryable", ...failure, retryAt: NOW + 60_000 },
  { is: "rejected", ...failure },
  { is: "unknown", detail: "no answer" },
] as const satisfies Exclude<Outcome | PrepareOutcome, { is: "unauthorized" | "prepared" }>[];
const LAST_WORDS = [
  { is: "void", ...failure },
  { is: "not_published" },
  { is: "unknown", detail: "no answer", final: true },
] as const satisfies Exclude<ReconcileOutcome, { is: "unauthorized" }>[];
const BEFORE_SENDING = new Set(["retryable", "rejected"]);
const MOMENT = { now: NOW, jitter: 0.5 };

/** Lists the facts that rows of a state can have: young and old, at the first try and at the last. */
function* listFacts(state: DeliveryState): Generator<DeliveryFacts> {
  const couldBeOpen =
    state === "reconciling" ? [true] : UNSENT.some((unsent) => unsent === state) ? [false] : [true, false];
  for (const hasOpenSend of couldBeOpen)
    for (const age of [0, 2 * DAY])
      for (const retries of [0, 6])
        yield { hasOpenSend, attempts: retries + 1, retries, scheduledFor: NOW - age, sentAt: NOW - age };
}

function* listRecoveries(): Generator<Recovery> {
  for (const canAsk of [true, false]) for (const republishAfterMs of [null, 0]) yield { canAsk, republishAfterMs };
}

describe("every answer has a transition in the table", () => {
  const checkTransition = (from: DeliveryState, decision: DeliveryDecision | "resend", input: string) => {
    if (decision === "resend") return;
    const { state, event } = decision;
    expect(mayFollow(from, state), `${from} -> ${state}: ${input}`).toBe(true);
    expect(decision.nextAt === null, input).toBe(isEnded(state));
    const moves = movesBetween(from, state).filter(({ by }) => by.includes("publisher"));
    if (from !== state) for (const move of moves) expect(event, `${from} -> ${state}: ${input}`).toBe(move.event);
  };

  it.each([...UNSENT, "sending"] as const)("every answer to a call in %s has a transition in the table", (from) => {
    for (const facts of listFacts(from))
      for (const recovery of listRecoveries())
        for (const answer of ANSWERS)
          if (from === "sending" || BEFORE_SENDING.has(answer.is))
            checkTransition(from, decideOutcome(facts, answer, recovery, MOMENT), JSON.stringify([answer, facts]));
  });

  it.each(["processing", "reconciling"] as const)(
    "every answer to a lookup in %s has a transition in the table",
    (state) => {
      for (const facts of listFacts(state))
        for (const recovery of listRecoveries())
          for (const answer of [...ANSWERS, ...LAST_WORDS])
            checkTransition(
              state,
              decideReconciliation({ ...facts, state }, answer, recovery, MOMENT),
              JSON.stringify([answer, facts]),
            );
    },
  );

  it.each([...UNSENT, ...MAYBE_SENT])("giving up in %s has a transition in the table", (from) => {
    const isOpen = !UNSENT.some((unsent) => unsent === from);
    for (const facts of listFacts(from))
      checkTransition(
        from,
        decideFailure({ ...facts, hasOpenSend: isOpen }, "internal_error", { detail: "given up" }),
        JSON.stringify(facts),
      );
  });
});
