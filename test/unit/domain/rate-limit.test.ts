import { describe, expect, it } from "vitest";
import {
  countedAddress,
  NO_TRIES,
  networksAround,
  RATE_LIMITS,
  type RateLimitName,
  takeTry,
} from "../../../src/domain/rate-limit.ts";

/** Tries at the given seconds: which are allowed, and how long the others wait (seconds). */
function tries(limit: RateLimitName, seconds: number[]): (number | "ok")[] {
  let state = NO_TRIES;
  return seconds.map((second) => {
    const { tries, waitMs } = takeTry(RATE_LIMITS[limit], state, second * 1000);
    state = tries;
    return waitMs === 0 ? "ok" : waitMs / 1000;
  });
}

describe("tries", () => {
  it("of a window are as many as it says, and free again as it slides", () => {
    expect(tries("forgot_device", [1, 2, 3, 4, 3_600, 3_601, 3_602, 3_603, 3_604])).toEqual([
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
  it("that come together are all or none, and more than a window takes need all of it", () => {
    const limit = RATE_LIMITS.forgot_device;
    const two = takeTry(limit, NO_TRIES, 1_000, 2);
    expect([two.waitMs, two.tries.at.length]).toEqual([0, 2]);
    const more = takeTry(limit, two.tries, 2_000, 2);
    expect([more.waitMs, more.tries.at.length]).toEqual([3_599_000, 2]);
    expect(takeTry(limit, two.tries, 2_000, 1).waitMs).toBe(0);
    const far = takeTry(limit, NO_TRIES, 1_000, 1_000);
    expect([far.waitMs, far.tries.at.length]).toEqual([0, 3]);
    expect(takeTry(limit, two.tries, 2_000, 1_000).waitMs).toBe(3_599_000);
  });
  it("of two windows keep to both", () => {
    const answers = tries(
      "signup_address",
      Array.from({ length: 30 }, (_, i) => i * 1_000),
    );
    expect(answers.filter((answer) => answer === "ok")).toHaveLength(20);
    expect(answers.slice(0, 6)).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
    expect(tries("signup_address", [0, 1, 2, 3, 4, 5])).toEqual(["ok", "ok", "ok", "ok", "ok", 3_595]);
  });
  it("of an account back off, doubling to a quarter of an hour", () => {
    const waits: number[] = [];
    let now = 0;
    let state = NO_TRIES;
    for (let i = 0; i < 12; i++) {
      const { tries } = takeTry(RATE_LIMITS.login_account_address, state, now);
      state = tries;
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
])("%s is counted as %s", (address, counted) => expect(countedAddress(address)).toBe(counted));

it.each([
  ["2001:db8:aa:bb::/64", ["2001:db8:aa::/48", "2001:db8::/32"]],
  ["::/64", ["0:0:0::/48", "0:0::/32"]],
  ["192.0.2.7", []],
])("the networks around %s are %j", (address, networks) =>
  expect(networksAround(countedAddress(address.replace("/64", ""))).map(({ network }) => network)).toEqual(networks),
);
