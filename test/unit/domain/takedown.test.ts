import { describe, expect, it } from "vitest";
import type { RecheckOutcome, TakenDown } from "../../../src/domain/delivery/outcome.ts";
import { decideTakedown } from "../../../src/domain/delivery/takedown.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const THERE: RecheckOutcome = { is: "there", url: null };
const GONE: RecheckOutcome = { is: "gone" };
const UNSEEN = { is: "unknown", detail: "HTTP 503" } as const;
const LOST = { is: "unknown", detail: "no answer" } as const;
const MISSING: TakenDown = { is: "missing", detail: "no such post" };

describe("a takedown", () => {
  it.each<[TakenDown, RecheckOutcome | null]>([
    [{ is: "taken_down" }, null],
    [LOST, GONE],
    [MISSING, GONE],
  ])("a takedown with the answer %o and the recheck %o is complete", (answer, recheckOutcome) => {
    expect(decideTakedown(answer, recheckOutcome, 0, NOW)).toEqual({ move: "taken_down", nextAt: null, detail: null });
  });

  it("a takedown is never complete while the post is visible or cannot be rechecked", () => {
    for (const answer of [LOST, MISSING])
      for (const recheckOutcome of [THERE, UNSEEN, null])
        for (let tries = 0; tries < 10; tries++)
          expect(decideTakedown(answer, recheckOutcome, tries, NOW).move).not.toBe("taken_down");
  });

  it("a takedown of a visible post that the network does not find fails with a missing permission", () => {
    expect(decideTakedown(MISSING, THERE, 0, NOW)).toMatchObject({
      move: "refused",
      nextAt: null,
      detail:
        "it was not taken down: no such post; connect the channel again and grant all requested permissions; the channel's `missing_permissions` lists those that it lacks",
    });
  });

  it("a takedown that the network refuses fails at once", () => {
    const refusal: TakenDown = { is: "rejected", error: "content_refused", detail: "too old" };
    const outcome = { move: "refused", nextAt: null, detail: "it was not taken down: too old" };
    expect(decideTakedown(refusal, null, 0, NOW)).toEqual(outcome);
  });

  it.each(["permission_missing", "token_expired", "token_revoked"] as const)(
    "a takedown that is refused for %s tells the caller to connect the channel again",
    (error) => {
      expect(decideTakedown({ is: "rejected", error, detail: "no" }, null, 0, NOW)).toMatchObject({
        move: "refused",
        detail: expect.stringMatching(
          /^it was not taken down: no; connect the channel again and grant all requested permissions/,
        ),
      });
    },
  );

  it("a takedown without an answer is retried while the post is visible, because that is not a refusal", () => {
    expect(decideTakedown(LOST, THERE, 0, NOW)).toMatchObject({ move: "put_off", nextAt: NOW + MINUTE });
    expect(decideTakedown(MISSING, UNSEEN, 0, NOW)).toMatchObject({ move: "put_off", nextAt: NOW + MINUTE });
  });

  it.each<[TakenDown, RecheckOutcome | null, number, string]>([
    [LOST, UNSEEN, 0, "the takedown is delayed: no answer"],
    [LOST, THERE, 5, "it was not taken down: no answer"],
    [LOST, UNSEEN, 5, "it may not have been taken down; check the network: no answer"],
    [MISSING, null, 5, "it may not have been taken down; check the network: no such post"],
    [{ is: "unauthorized", detail: "expired" }, null, 5, "it was not taken down: expired"],
  ])(
    "a takedown with the answer %o and the recheck %o after %i tries has the detail: %s",
    (answer, recheckOutcome, tries, detail) => {
      expect(decideTakedown(answer, recheckOutcome, tries, NOW)).toMatchObject({ detail });
    },
  );

  it.each<[TakenDown, RecheckOutcome | null]>([
    [{ ...LOST, notBefore: NOW + DAY }, UNSEEN],
    [LOST, { ...UNSEEN, notBefore: NOW + DAY }],
    [{ is: "retryable", error: "network_quota", detail: "busy", notBefore: NOW + DAY }, null],
  ])(
    "a takedown with the answer %o and the recheck %o waits as long as the network asks for",
    (answer, recheckOutcome) => {
      expect(decideTakedown(answer, recheckOutcome, 0, NOW)).toMatchObject({ move: "put_off", nextAt: NOW + DAY });
    },
  );

  it("a takedown is retried for a day and then fails or is unknown", () => {
    const waits = [1, 10, 60, 360, 1_440].map((minutes) => NOW + minutes * MINUTE);
    for (const [tries, nextAt] of waits.entries())
      expect(decideTakedown(LOST, UNSEEN, tries, NOW)).toMatchObject({ move: "put_off", nextAt });
    expect(decideTakedown(LOST, UNSEEN, 5, NOW)).toMatchObject({ move: "unclear", nextAt: null });
    expect(decideTakedown(LOST, THERE, 5, NOW)).toMatchObject({ move: "refused", nextAt: null });
    expect(decideTakedown({ is: "unauthorized", detail: "no" }, null, 5, NOW)).toMatchObject({ move: "refused" });
  });

  it("a takedown waits for as long as the network asks", () => {
    const busy = { is: "retryable", error: "network_quota", detail: "slow down", notBefore: NOW + DAY } as const;
    expect(decideTakedown(busy, null, 0, NOW)).toMatchObject({ move: "put_off", nextAt: NOW + DAY });
  });
});
