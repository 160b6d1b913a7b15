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

describe("the reason that is told of a delivery", () => {
  const comment = work("first_comment", "failed", "the first comment was refused: no", "too long");
  const delivery = {
    detail: "of the delivery",
    networkMessage: "its message",
    takedownState: null,
    takedownTries: 0,
    removedBy: null,
  };

  it("is its own where its first comment has none", () => {
    for (const followUps of [[], [work("first_comment", "done")], [work("playlist", "failed", "why")]])
      expect(getReason(delivery, followUps)).toMatchObject({
        detail: "of the delivery",
        networkMessage: "its message",
      });
  });

  it("is that of its first comment where that has one, until a takedown has", () => {
    expect(getReason(delivery, [comment])).toMatchObject({ detail: comment.detail, networkMessage: "too long" });
    const asked = { ...delivery, takedownState: "due" } as const;
    expect(getReason(asked, [comment])).toMatchObject({ detail: comment.detail });
  });

  it.each([
    ["was put off", { takedownState: "due", takedownTries: 1 }],
    ["was refused", { takedownState: "failed" }],
    ["has no answer", { takedownState: "unknown" }],
    ["is done", { removedBy: "you" }],
  ] as const)("is that of a takedown that %s", (_why, columns) => {
    expect(getReason({ ...delivery, ...columns }, [comment])).toMatchObject({ detail: "of the delivery" });
  });
});
