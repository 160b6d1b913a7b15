// A consent that covers more accounts than one row can store until some are chosen.
import { describe, expect, it } from "vitest";
import type { Account } from "../../src/networks/network.ts";
import { toShownGrant } from "../../src/networks/shared/foreign-account.ts";

/** An account with a credential of `length` characters. */
const account = (accountId: string, length: number): Account<string> => ({
  is: "connected",
  accountId,
  handle: accountId,
  name: null,
  avatarUrl: null,
  profileUrl: null,
  credential: "c".repeat(length),
  tokenExpiresAt: null,
});
function offer(...accounts: Account<string>[]) {
  const grant = toShownGrant({ is: "granted", accounts });
  if (grant.is !== "granted") return expect.fail(grant.is);
  return { offered: grant.accounts.map(({ accountId }) => accountId), leftOut: grant.leftOut };
}

describe("the accounts of a large consent", () => {
  it("are all offered if there is room for them", () => {
    expect(offer(account("a", 100_000), account("b", 100_000))).toEqual({ offered: ["a", "b"], leftOut: 0 });
  });

  it("are counted as left out if there is no room, and a large account does not hide smaller ones", () => {
    expect(offer(account("a", 100_000), account("b", 200_000), account("c", 100_000))).toEqual({
      offered: ["a", "c"],
      leftOut: 1,
    });
    expect(offer(account("a", 300_000))).toEqual({ offered: [], leftOut: 1 });
  });

  it("are also counted as left out if they have no usable id or name", () => {
    expect(offer(account("", 1), account("b", 1))).toEqual({ offered: ["b"], leftOut: 1 });
  });
});
