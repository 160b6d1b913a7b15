// What callers see of the work that options ask for.
import { describe, expect, it } from "vitest";
import {
  FOLLOW_UP_STATES,
  type FollowUpKind,
  type FollowUpState,
} from "../../../src/domain/delivery/follow-up-moves.ts";
import {
  additionMessage,
  additionNotes,
  additionsView,
  commentView,
  getReason,
  removedByView,
  takedownView,
} from "../../../src/domain/delivery/follow-up-view.ts";

const work = (
  kind: FollowUpKind,
  state: FollowUpState,
  detail: string | null = null,
  networkMessage: string | null = null,
) => ({
  kind,
  state,
  detail,
  networkMessage,
});
const SHOWN = { due: "pending", sending: "pending", done: "done", failed: "failed", unknown: "unknown" } as const;

describe("callers", () => {
  it("see each piece of work as pending until it has ended, and a first comment that was made as posted", () => {
    for (const state of FOLLOW_UP_STATES) {
      const both = [work("first_comment", state), work("playlist", state)];
      expect(additionsView(both)).toEqual({ playlist: SHOWN[state] });
      expect(commentView(both)).toBe(state === "done" ? "posted" : SHOWN[state]);
    }
  });

  it("see nothing of work that nobody asked for", () => {
    expect([additionsView([]), commentView([])]).toEqual([null, null]);
    expect(additionsView([work("first_comment", "due")])).toBeNull();
    expect(commentView([work("playlist", "due")])).toBeNull();
  });

  it("see additions in the order in which they are made", () => {
    const both = [work("playlist", "due"), work("thumbnail_media", "done")];
    expect(Object.keys(additionsView(both) ?? {})).toEqual(["thumbnail_media", "playlist"]);
  });

  it("read what is to be said of additions that did not go well, and nothing of the others", () => {
    const all = [
      work("playlist", "failed", "`playlist` was refused: no", "not yours"),
      work("thumbnail_media", "done"),
      work("first_comment", "failed", "the first comment was refused: no", "too long"),
    ];
    expect(additionNotes(all)).toEqual(["`playlist` was refused: no"]);
    expect(additionMessage(all)).toBe("not yours");
    expect([additionNotes([]), additionMessage([])]).toEqual([[], null]);
  });
});

describe("callers of a takedown", () => {
  it("see it as pending until it has ended, and not once the post is gone", () => {
    const shown = FOLLOW_UP_STATES.map((state) => takedownView([work("takedown", state)]));
    expect(shown).toEqual(["pending", "pending", null, "failed", "unknown"]);
    expect(takedownView([work("playlist", "due")])).toBeNull();
  });

  it("see the owner as the remover of a post that was to be taken down, and the network of any other", () => {
    expect(removedByView("removed", [work("takedown", "done")])).toBe("you");
    expect(removedByView("removed", [work("playlist", "done")])).toBe("network");
    expect(removedByView("live", [work("takedown", "due")])).toBeNull();
  });
});

describe("the reason that is told of a delivery", () => {
  const comment = work("first_comment", "failed", "the first comment was refused: no", "too long");
  const delivery = { detail: "of the delivery", networkMessage: "its message" };

  it("is its own where its takedown and its first comment have none", () => {
    for (const followUps of [
      [],
      [work("first_comment", "done"), work("takedown", "due")],
      [work("playlist", "failed", "why")],
    ])
      expect(getReason(delivery, followUps)).toEqual(delivery);
  });

  it.each(["due", "done"] as const)(
    "is that of its first comment beside a takedown that is %s without one",
    (state) => {
      expect(getReason(delivery, [comment, work("takedown", state)])).toBe(comment);
    },
  );

  it.each(["due", "failed", "unknown"] as const)("is that of a takedown that is %s and has one", (state) => {
    const takedown = work("takedown", state, "of the takedown");
    expect(getReason(delivery, [comment, takedown])).toBe(takedown);
  });
});
