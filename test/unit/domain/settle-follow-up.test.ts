// What follows from the answer to a piece of work that an option asks for.
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
const comment = (tries: number) => ({ kind: "first_comment", tries }) as const;

const mayFollow = (kind: FollowUpKind, from: FollowUpState) =>
  FOLLOW_UP_STATES.filter((to) => mayFollowUpBecome(kind, from, to));

describe("the table of moves", () => {
  it("says of every move what brings it about", () => {
    expect(Object.keys(FOLLOW_UP_WHEN)).toEqual(Object.keys(FOLLOW_UP_MOVES));
  });

  it("leaves no state that is an end, and leads to every state but the first", () => {
    const ends = FOLLOW_UP_STATES.filter((state) => !isOpen({ state }));
    expect(ends).toEqual(["done", "failed", "unknown"]);
    for (const kind of OPTION_KINDS) {
      for (const from of ends) expect(mayFollow(kind, from)).toEqual([]);
      expect(mayFollow(kind, "sending")).toEqual(FOLLOW_UP_STATES);
      expect(mayFollow(kind, "due")).toEqual(["due", "sending", "failed"]);
    }
  });

  it("has a takedown begin anew or succeed after it ended in vain, and never after it succeeded", () => {
    expect(mayFollow("takedown", "due")).toEqual(["due", "done", "failed", "unknown"]);
    for (const from of ["failed", "unknown"] as const) expect(mayFollow("takedown", from)).toEqual(["due", "done"]);
    expect(mayFollow("takedown", "done")).toEqual([]);
  });

  it("has each answer to what is prepared leave a state in which nothing was sent", () => {
    for (const answer of [retryable, rejected, unauthorized])
      for (const tries of [0, 4]) {
        const { move } = decideOptionWork(answer, comment(tries), T);
        expect(FOLLOW_UP_MOVES[move].from, move).toContain("due");
      }
  });

  it("has each answer to a call, or to looking for its result, leave the state of an open call", () => {
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
        const { move } = decideOptionWork(answer, comment(tries), T);
        expect(FOLLOW_UP_MOVES[move].from, move).toContain("sending");
      }
  });
});

describe("the work of a post that goes live", () => {
  it("is what its network can do and its options ask for, in its order", () => {
    const override = { first_comment: "First!", playlist: "PL1", title: "A title", thumbnail_media: "med_1" };
    expect(requestedFollowUps(OPTION_KINDS, override)).toEqual(["thumbnail_media", "playlist", "first_comment"]);
    expect(requestedFollowUps(["first_comment", "playlist"], override)).toEqual(["playlist", "first_comment"]);
    expect(requestedFollowUps(OPTION_KINDS, { playlist: "PL1" })).toEqual(["playlist"]);
    expect(requestedFollowUps([], override)).toEqual([]);
  });

  it.each([[undefined], [{}], [{ title: "A title" }], [{ first_comment: null }]])(
    "is none for the options %j",
    (override) => {
      expect(requestedFollowUps(OPTION_KINDS, override)).toEqual([]);
    },
  );

  it("has a first comment only where the option is a text", () => {
    for (const first_comment of [null, 1]) expect(findFirstComment({ first_comment })).toBeNull();
    expect(findFirstComment({ text: "Hello" })).toBeNull();
    expect(findFirstComment(undefined)).toBeNull();
    expect(findFirstComment({ first_comment: "First!" })).toBe("First!");
  });

  it("is done one piece after the other, and each waits for the one before it", () => {
    const playlist = { kind: "playlist", state: "due", tries: 0 } as const;
    for (const state of FOLLOW_UP_STATES) {
      const thumbnail = { kind: "thumbnail_media", state, tries: 1 } as const;
      expect(nextFollowUp([playlist, thumbnail])).toBe(isOpen({ state }) ? thumbnail : playlist);
    }
    expect(nextFollowUp([{ ...playlist, state: "done" }])).toBeUndefined();
  });
});

describe("an answer", () => {
  it.each([{ is: "commented" }, { is: "added" }] as const)("%o ends the work without a word", (answer) => {
    expect(decideOptionWork(answer, comment(1), T)).toEqual({ move: "made", nextAt: null, detail: null });
  });

  it.each([
    [lost, "lost", "may not be there: no answer"],
    [rejected, "refused", "was refused: no permission (10)"],
  ] as const)("%o ends the work for good, in words that begin with its name", (answer, move, says) => {
    const detail = `the first comment ${says}`;
    expect(decideOptionWork(answer, comment(0), T)).toEqual({ move, nextAt: null, detail });
    const ofPlaylist = decideOptionWork(answer, { kind: "playlist", tries: 0 }, T);
    expect(ofPlaylist).toEqual({ move, nextAt: null, detail: `\`playlist\` ${says}` });
  });

  it("that puts the work off has it done later, when the network says, and ends it after the fourth time", () => {
    const waits = [0, 1, 2, 3].map((tries) => (decideOptionWork(retryable, comment(tries), T).nextAt ?? 0) - T);
    expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
    const later = { ...retryable, notBefore: T + 5 * MINUTE };
    expect(decideOptionWork(later, comment(0), T)).toMatchObject({ move: "put_off", nextAt: T + 5 * MINUTE });
    const detail = "the first comment waits: slow down";
    expect(decideOptionWork(retryable, comment(4), T)).toEqual({ move: "refused", nextAt: null, detail });
  });

  it("that names a second has the work done after the usual wait", () => {
    for (const [tries, wait] of [MINUTE, 10 * MINUTE, 60 * MINUTE].entries()) {
      const answer = { ...retryable, notBefore: T + 1_000 };
      expect(decideOptionWork(answer, comment(tries), T)).toMatchObject({ nextAt: T + wait });
    }
  });

  it("that refuses the access token puts the work off like any other", () => {
    const detail = "the first comment waits: expired";
    expect(decideOptionWork(unauthorized, comment(1), T)).toEqual({ move: "put_off", nextAt: T + 10 * MINUTE, detail });
    expect(decideOptionWork(unauthorized, comment(4), T)).toEqual({ move: "refused", nextAt: null, detail });
  });

  it("of a network that is preparing has the work done when that says it is ready", () => {
    const ready = { ...retryable, retryAt: T + 7 };
    expect(decideOptionWork(ready, comment(2), T)).toMatchObject({ move: "put_off", nextAt: T + 7 });
    const both = { ...ready, notBefore: T + 5 * MINUTE };
    expect(decideOptionWork(both, comment(2), T)).toMatchObject({ move: "put_off", nextAt: T + 5 * MINUTE });
  });

  it("that does not show the result has it looked for after the same waits, not before the network allows it, and then is unknown", () => {
    const waits = [0, 1, 2, 3].map((tries) => (decideOptionWork(missing, comment(tries), T).nextAt ?? 0) - T);
    expect(waits).toEqual([MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE]);
    const asked = { ...missing, notBefore: T + 5 * MINUTE };
    const detail = "the first comment may not be there: no answer";
    expect(decideOptionWork(asked, comment(0), T)).toEqual({ move: "not_found", nextAt: T + 5 * MINUTE, detail });
    expect(decideOptionWork(asked, comment(1), T)).toMatchObject({ move: "not_found", nextAt: T + 10 * MINUTE });
    expect(stateAfter(decideOptionWork(asked, comment(1), T))).toBe("sending");
    expect(decideOptionWork(asked, comment(4), T)).toEqual({ move: "lost", nextAt: null, detail });
  });
});
