// The follow-up work of a delivery, as callers see it.
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

const makeWork = (
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
  it("callers see follow-up work as pending until it has ended, and a completed first comment as posted", () => {
    for (const state of FOLLOW_UP_STATES) {
      const twoWorks = [makeWork("first_comment", state), makeWork("playlist", state)];
      expect(additionsView(twoWorks)).toEqual({ playlist: SHOWN[state] });
      expect(commentView(twoWorks)).toBe(state === "done" ? "posted" : SHOWN[state]);
    }
  });

  it("callers see nothing of follow-up work that the post does not have", () => {
    expect([additionsView([]), commentView([])]).toEqual([null, null]);
    expect(additionsView([makeWork("first_comment", "due")])).toBeNull();
    expect(commentView([makeWork("playlist", "due")])).toBeNull();
  });

  it("callers see additions in the order in which they are carried out", () => {
    const additions = [makeWork("playlist", "due"), makeWork("thumbnail_media", "done")];
    expect(Object.keys(additionsView(additions) ?? {})).toEqual(["thumbnail_media", "playlist"]);
  });

  it("callers see the details of additions that failed, and none of the others", () => {
    const additions = [
      makeWork("playlist", "failed", "`playlist` was refused: no", "not yours"),
      makeWork("thumbnail_media", "done"),
      makeWork("first_comment", "failed", "the first comment was refused: no", "too long"),
    ];
    expect(additionNotes(additions)).toEqual(["`playlist` was refused: no"]);
    expect(additionMessage(additions)).toBe("not yours");
    expect([additionNotes([]), additionMessage([])]).toEqual([[], null]);
  });
});

describe("a takedown, as callers see it", () => {
  it("callers see a takedown as pending until it has ended, and no takedown once the post is removed", () => {
    const shown = FOLLOW_UP_STATES.map((state) => takedownView([makeWork("takedown", state)]));
    expect(shown).toEqual(["pending", "pending", null, "failed", "unknown"]);
    expect(takedownView([makeWork("playlist", "due")])).toBeNull();
  });

  it("callers see that the owner removed a post with a takedown, and that the network removed any other", () => {
    expect(removedByView("removed", [makeWork("takedown", "done")])).toBe("you");
    expect(removedByView("removed", [makeWork("playlist", "done")])).toBe("network");
    expect(removedByView("live", [makeWork("takedown", "due")])).toBeNull();
  });
});

describe("the reason of a delivery", () => {
  const comment = makeWork("first_comment", "failed", "the first comment was refused: no", "too long");
  const delivery = { detail: "of the delivery", networkMessage: "its message" };

  it("the reason is that of the delivery if its takedown and its first comment have none", () => {
    for (const followUps of [
      [],
      [makeWork("first_comment", "done"), makeWork("takedown", "due")],
      [makeWork("playlist", "failed", "why")],
    ])
      expect(getReason(delivery, followUps)).toEqual(delivery);
  });

  it.each(["due", "done"] as const)(
    "the reason is that of the first comment if a takedown that is %s has none",
    (state) => {
      expect(getReason(delivery, [comment, makeWork("takedown", state)])).toBe(comment);
    },
  );

  it.each(["due", "failed", "unknown"] as const)(
    "the reason is that of a takedown that is %s, if it has one",
    (state) => {
      const takedown = makeWork("takedown", state, "of the takedown");
      expect(getReason(delivery, [comment, takedown])).toBe(takedown);
    },
  );
});
