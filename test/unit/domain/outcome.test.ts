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
  ] as const)("is kept with %o", (answer) => {
    expect(askedWait({ ...answer, notBefore: UNTIL })).toBe(UNTIL);
    expect(askedWait(answer)).toBeUndefined();
  });

  it("is absent if the network asked for none or the wait is over", () => {
    const live = { is: "live", notBefore: UNTIL };
    expect(askedWait(live)).toBeUndefined();
    expect(askedWait({ is: "rejected", ...refusal })).toBeUndefined();
    expect(askedWait(undefined)).toBeUndefined();
  });

  it("continues only for a lost answer that was looked up without success", () => {
    const lost = { is: "unknown", detail: "no answer", notBefore: 1, final: true } as const;
    const searched = { is: "not_found", detail: "no answer" };
    expect(notFound(lost, UNTIL)).toStrictEqual({ ...searched, notBefore: UNTIL });
    expect(notFound(lost)).toStrictEqual(searched);
  });
});

describe("a failure", () => {
  it("has a code from the list, never the name of a built-in object property", () => {
    for (const name of Object.keys(FAILURES)) expect(isFailureCode(name)).toBe(true);
    for (const name of ["toString", "constructor", "", "no_such_failure"]) expect(isFailureCode(name)).toBe(false);
  });
});
