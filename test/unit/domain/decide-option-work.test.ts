// The decision that an answer to follow-up work leads to.
import { describe, expect, it } from "vitest";
import { findFirstComment } from "../../../src/domain/delivery/first-comment.ts";
import {
  decideOptionWork,
  nextFollowUp,
  requestedFollowUps,
  stateAfter,
} from "../../../src/domain/delivery/follow-up.ts";
import {
  FOLLOW_UP_MOVES,
  FOLLOW_UP_STATES,
  FOLLOW_UP_WHEN,
  type FollowUpKind,
  type FollowUpState,
  isOpen,
  mayFollowUpBecome,
  OPTION_KINDS,
} from "../../../src/domain/delivery/follow-up-moves.ts";

const T = 1_800_000_000_000;
const MINUTE = 60_000;
const retryable = { is: "retryable", error: "network_quota", detail: "slow down" } as const;
const rejected = { is: "rejected", error: "content_refused", detail: "no permission (10)" } as const;
const unauthorized = { is: "unauthorized", detail: "expired" } as const;
const lost = { is: "unknown", detail: "no answer" } as const;
const missing = { is: "not_found", detail: "no answer" } as const;
const makeComment = (tries: number) => ({ kind: "first_comment", tries }) as const;

const mayFollow = (kind: FollowUpKind, from: FollowUpState) =>
  FOLLOW_UP_STATES.filter((to) => mayFollowUpBecome(kind, from, to));

describe("the table of moves", () => {
  it("every move of follow-up work has a description of its cause", () => {
    expect(Object.keys(FOLLOW_UP_WHEN)).toEqual(Object.keys(FOLLOW_UP_MOVES));
  });

  it("final states of follow-up work have no moves, and open states have the listed ones", () => {
    const ends = FOLLOW_UP_STATES.filter((state) => !isOpen({ state }));
    expect(ends).toEqual(["done", "failed", "unknown"]);
    for (const kind of OPTION_KINDS) {
      for (const from of ends) expect(mayFollow(kind, from)).toEqual([]);
      expect(mayFollow(kind, "sending")).toEqual(FOLLOW_UP_STATES);
      expect(mayFollow(kind, "due")).toEqual(["due", "sending", "failed"]);
    }
  });

  it("a takedown that ended without success can be requested again or succeed later, and a successful one is final", () => {
    expect(mayFollow("takedown", "due")).toEqual(["due", "done", "failed", "unknown"]);
    for (const from of ["failed", "unknown"] as const) expect(mayFollow("takedown", from)).toEqual(["due", "done"]);
    expect(mayFollow("takedown", "done")).toEqual([]);
  });

  it("every answer during preparation has a move from the state `due`", () => {
    for (const answer of [retryable, rejected, unauthorized])
      for (const tries of [0, 4]) {
        const { move } = decideOptionWork(answer, makeComment(tries), T);
        expect(FOLLOW_UP_MOVES[move].from, move).toContain("due");
      }
  });

  it("every answer to a call or a lookup has a move from the state `sending`", () => {
    for (const answer of [
      retryable,
      rejected,
      unauthorized,
      lost,
      missing,
      { is: "commented" },
      { is: "added" },
    ] as const)
      for (const tries of [0, 4]) {
        const { move } = decideOptionWork(answer, makeComment(tries), T);
        expect(FOLLOW_UP_MOVES[move].from, move).toContain("sending");
      }
  });
});

describe("the work of a post that goes live", () => {
  it("a post has the follow-up work of its options that its network supports, in a fixed order", () => {
    const override = { first_comment: "First!", playlist: "PL1", title: "A title", thumbnail_media: "med_1" };
    expect(requestedFollowUps(OPTION_KINDS, override)).toEqual(["thumbnail_media", "playlist", "first_comment"]);
    expect(requestedFollowUps(["first_comment", "playlist"], override)).toEqual(["playlist", "first_comment"]);
    expect(requestedFollowUps(OPTION_KINDS, { playlist: "PL1" })).toEqual(["playlist"]);
    expect(requestedFollowUps([], override)).toEqual([]);
  });

  it.each([[undefined], [{}], [{ title: "A title" }], [{ first_comment: null }]])(
    "a post with the options %j has no follow-up work",
    (override) => {
      expect(requestedFollowUps(OPTION_KINDS, override)).toEqual([]);
    },
  );

  it("a post has a first comment only if the option is a text", () => {
    for (const first_comment of [null, 1]) expect(findFirstComment({ first_comment })).toBeNull();
    expect(findFirstComment({ text: "Hello" })).toBeNull();
    expect(findFirstComment(undefined)).toBeNull();
    expect(findFirstComment({ first_comment: "First!" })).toBe("First!");
  });

  it("follow-up work is done one after another, and a thumbnail comes before a playlist", () => {
    const playlist = { kind: "playlist", state: "due", tries: 0 } as const;
    for (const state of FOLLOW_UP_STATES) {
      const thumbnail = { kind: "thumbnail_media", state, tries: 1 } as const;
      expect(nextFollowUp([playlist, thumbnail])).toBe(isOpen({ state }) ? thumbnail : playlist);
    }
    expect(nextFollowUp([{ ...playlist, state: "done" }])).toBeUndefined();
  });
});

describe("an answer", () => {
  it.each([{ is: "commented" }, { is: "added" }] as const)(
    "the answer %o completes the work without a detail",
    (answer) => {
      expect(decideOptionWork(answer, makeComment(1), T)).toEqual({ move: "made", nextAt: null, detail: null });
    },
  );

  it.each([
    [lost, "lost", "may not be there: no answer"],
    [rejected, "refused", "was refused: no permission (10)"],
  ] as const)("the answer %o ends the work, with a detail that begins with its name", (answer, move, reason) => {
    const detail = `the first comment ${reason}`;
    expect(decideOptionWork(answer, makeComment(0), T)).toEqual({ move, nextAt: null, detail });
    const playlistDecision = decideOptionWork(answer, { kind: "playlist", tries: 0 }, T);
    expect(playlistDecision).toEqual({ move, nextAt: null, detail: `\`playlist\` ${reason}` });
  });

  it("a temporary refusal delays the work four times, at least until the time that the network names, and then ends it", () => {
    const waits = [0, 1, 2, 3].map((tries) => (decideOptionWork(retryable, makeComment(tries), T).nextAt ?? 0) - T);
    expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
    const later = { ...retryable, notBefore: T + 5 * MINUTE };
    expect(decideOptionWork(later, makeComment(0), T)).toMatchObject({ move: "put_off", nextAt: T + 5 * MINUTE });
    const detail = "the first comment waits: slow down";
    expect(decideOptionWork(retryable, makeComment(4), T)).toEqual({ move: "refused", nextAt: null, detail });
  });

  it("a temporary refusal that names a wait of one second delays the work by the usual wait", () => {
    for (const [tries, wait] of [MINUTE, 10 * MINUTE, 60 * MINUTE].entries()) {
      const answer = { ...retryable, notBefore: T + 1_000 };
      expect(decideOptionWork(answer, makeComment(tries), T)).toMatchObject({ nextAt: T + wait });
    }
  });

  it("a refused access token delays the work like a temporary refusal", () => {
    const detail = "the first comment waits: expired";
    expect(decideOptionWork(unauthorized, makeComment(1), T)).toEqual({
      move: "put_off",
      nextAt: T + 10 * MINUTE,
      detail,
    });
    expect(decideOptionWork(unauthorized, makeComment(4), T)).toEqual({ move: "refused", nextAt: null, detail });
  });

  it("a network that is preparing delays the work until the time that it names", () => {
    const ready = { ...retryable, retryAt: T + 7 };
    expect(decideOptionWork(ready, makeComment(2), T)).toMatchObject({ move: "put_off", nextAt: T + 7 });
    const retryWithWait = { ...ready, notBefore: T + 5 * MINUTE };
    expect(decideOptionWork(retryWithWait, makeComment(2), T)).toMatchObject({
      move: "put_off",
      nextAt: T + 5 * MINUTE,
    });
  });

  it("work whose result is not found is looked up four more times, not before the network allows it, and is then unknown", () => {
    const waits = [0, 1, 2, 3].map((tries) => (decideOptionWork(missing, makeComment(tries), T).nextAt ?? 0) - T);
    expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
    const missingWithWait = { ...missing, notBefore: T + 5 * MINUTE };
    const detail = "the first comment may not be there: no answer";
    expect(decideOptionWork(missingWithWait, makeComment(0), T)).toEqual({
      move: "not_found",
      nextAt: T + 5 * MINUTE,
      detail,
    });
    expect(decideOptionWork(missingWithWait, makeComment(1), T)).toMatchObject({
      move: "not_found",
      nextAt: T + 10 * MINUTE,
    });
    expect(stateAfter(decideOptionWork(missingWithWait, makeComment(1), T))).toBe("sending");
    expect(decideOptionWork(missingWithWait, makeComment(4), T)).toEqual({ move: "lost", nextAt: null, detail });
  });
});
