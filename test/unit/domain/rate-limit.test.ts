import { describe, expect, it } from "vitest";
import {
  countedAddress,
  measureRoom,
  NO_TRIES,
  networksAround,
  RATE_LIMITS,
  type RateLimitName,
  takeTry,
} from "../../../src/domain/rate-limit.ts";

/** Makes tries at the given seconds, and returns "ok" or the seconds to wait for each. */
function countTries(limit: RateLimitName, seconds: number[]): (number | "ok")[] {
  let state = NO_TRIES;
  return seconds.map((second) => {
    const { tries: countTries, waitMs } = takeTry(RATE_LIMITS[limit], state, second * 1000);
    state = countTries;
    return waitMs === 0 ? "ok" : waitMs / 1000;
  });
}

describe("the room that a limit leaves", () => {
  it.each([
    ["nothing was tried", [], { limit: 30, remaining: 30, resetS: 0 }],
    ["the minute is the tightest window", [0, 10, 20], { limit: 30, remaining: 27, resetS: 40 }],
    ["the hour is", [-3_000, -2_999, ...Array<number>(293).fill(-120)], { limit: 300, remaining: 5, resetS: 580 }],
  ])("is that of the tightest window: %s", (_, at, room) => {
    const tries = { ...NO_TRIES, at: at.map((second) => 3_600_000 + second * 1_000) };
    expect(measureRoom(RATE_LIMITS.comment_caller, tries, 3_620_000)).toEqual(room);
  });

  it("is empty while a caller is locked out", () => {
    const tries = { at: [1_000], blocks: 1, blockedUntil: 31_000 };
    expect(measureRoom(RATE_LIMITS.login_device, tries, 1_000)).toMatchObject({ remaining: 0, resetS: 900 });
  });
});

describe("tries", () => {
  it("a window allows its number of tries, and allows more as it slides", () => {
    expect(countTries("forgot_device", [1, 2, 3, 4, 3_600, 3_601, 3_602, 3_603, 3_604])).toEqual([
      "ok",
      "ok",
      "ok",
      3_597,
      1,
      "ok",
      "ok",
      "ok",
      3_597,
    ]);
  });
  it("several tries at once are allowed completely or not at all, and more than a window allows need an empty window", () => {
    const limit = RATE_LIMITS.forgot_device;
    const firstTwo = takeTry(limit, NO_TRIES, 1_000, 2);
    expect([firstTwo.waitMs, firstTwo.tries.at.length]).toEqual([0, 2]);
    const twoMore = takeTry(limit, firstTwo.tries, 2_000, 2);
    expect([twoMore.waitMs, twoMore.tries.at.length]).toEqual([3_599_000, 2]);
    expect(takeTry(limit, firstTwo.tries, 2_000, 1).waitMs).toBe(0);
    const tooMany = takeTry(limit, NO_TRIES, 1_000, 1_000);
    expect([tooMany.waitMs, tooMany.tries.at.length]).toEqual([0, 3]);
    expect(takeTry(limit, firstTwo.tries, 2_000, 1_000).waitMs).toBe(3_599_000);
  });
  it("tries that count in two windows are limited by both", () => {
    const answers = countTries(
      "signup_address",
      Array.from({ length: 30 }, (_, i) => i * 1_000),
    );
    expect(answers.filter((answer) => answer === "ok")).toHaveLength(20);
    expect(answers.slice(0, 6)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
    expect(countTries("signup_address", [0, 1, 2, 3, 4, 5])).toEqual(["ok", "ok", "ok", "ok", "ok", 3_595]);
  });
  it("the waits of failed sign-ins to one account double up to a quarter of an hour", () => {
    const waits: number[] = [];
    let now = 0;
    let state = NO_TRIES;
    for (let i = 0; i < 12; i++) {
      const { tries: countTries } = takeTry(RATE_LIMITS.login_account_address, state, now);
      state = countTries;
      const wait = Math.max(0, state.blockedUntil - now);
      waits.push(wait / 1000);
      now += Math.max(wait, 1);
    }
    expect(waits).toEqual([0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900, 900]);
    const calm = takeTry(RATE_LIMITS.login_account_address, state, now + 900_000);
    expect(calm).toMatchObject({ waitMs: 0, tries: { blocks: 0, blockedUntil: 0 } });
  });
});

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("tries from the address %s count for %s", (address, key) => expect(countedAddress(address)).toBe(key));

it.each([
  ["2001:db8:aa:bb::/64", ["2001:db8:aa::/48", "2001:db8::/32"]],
  ["::/64", ["0:0:0::/48", "0:0::/32"]],
  ["192.0.2.7", []],
])("the address %s is in the networks %j", (address, networks) =>
  expect(networksAround(countedAddress(address.replace("/64", ""))).map(({ network }) => network)).toEqual(networks),
);
