import { describe, expect, it } from "vitest";
import { FAILURES, isFailureCode } from "../../../src/domain/delivery/failure.ts";
import { askedWait, notFound } from "../../../src/domain/delivery/outcome.ts";

const UNTIL = 1_800_000_000_000;

describe("the wait that a network asks for", () => {
  const refusal = { error: "network_quota", detail: "slow down" } as const;

  it.each([
    { is: "retryable", ...refusal },
    { is: "unknown", detail: "HTTP 503" },
    { is: "not_found", detail: "no answer" },
  ] as const)("the wait that a network asks for is read from the answer %o", (answer) => {
    expect(askedWait({ ...answer, notBefore: UNTIL })).toBe(UNTIL);
    expect(askedWait(answer)).toBeUndefined();
  });

  it("there is no wait if the network asked for none, or in an answer that ends the delivery", () => {
    const live = { is: "live", notBefore: UNTIL };
    expect(askedWait(live)).toBeUndefined();
    expect(askedWait({ is: "rejected", ...refusal })).toBeUndefined();
    expect(askedWait(undefined)).toBeUndefined();
  });

  it("notFound has only the wait of the last lookup, not that of the lost answer", () => {
    const lost = { is: "unknown", detail: "no answer", notBefore: 1, final: true } as const;
    const searched = { is: "not_found", detail: "no answer" };
    expect(notFound(lost, UNTIL)).toStrictEqual({ ...searched, notBefore: UNTIL });
    expect(notFound(lost)).toStrictEqual(searched);
  });
});

describe("a failure", () => {
  it("isFailureCode accepts the listed codes, and no names of built-in object properties", () => {
    for (const name of Object.keys(FAILURES)) expect(isFailureCode(name)).toBe(true);
    for (const name of ["toString", "constructor", "", "no_such_failure"]) expect(isFailureCode(name)).toBe(false);
  });
});
