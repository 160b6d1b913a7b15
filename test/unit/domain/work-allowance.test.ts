import { describe, expect, it } from "vitest";
import { WorkAllowance, type WorkLimits } from "../../../src/domain/work-allowance.ts";

const makeAllowance = (limits: WorkLimits, askForInvocation = () => {}) => new WorkAllowance(limits, askForInvocation);

/** Takes from an allowance, and lists the granted requests. */
function takeFrom(allowance: WorkAllowance) {
  const granted: string[] = [];
  return {
    granted,
    ask: (name: string, meter: "fetches" | "statements", count = 1) =>
      void allowance.take(meter, count).then(() => granted.push(name)),
    /** Lets all granted requests continue. */
    waitForGrants: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe("the allowance of an invocation", () => {
  it("an allowance grants fetches up to its limit, and keeps the others waiting until the next invocation", async () => {
    const allowance = makeAllowance({ fetches: 2, statements: 10 });
    const { granted, ask, waitForGrants } = takeFrom(allowance);
    for (const name of ["a", "b", "c", "d", "e"]) ask(name, "fetches");
    await waitForGrants();
    expect(granted).toEqual(["a", "b"]);
    expect(allowance.isExhausted).toBe(true);

    allowance.renew();
    await waitForGrants();
    expect(granted).toEqual(["a", "b", "c", "d"]);
    expect(allowance.isExhausted).toBe(true);

    allowance.renew();
    await waitForGrants();
    expect(granted).toEqual(["a", "b", "c", "d", "e"]);
    expect(allowance.isExhausted).toBe(false);
  });

  it("an allowance counts fetches and statements separately", async () => {
    const allowance = makeAllowance({ fetches: 1, statements: 3 });
    const { granted, ask, waitForGrants } = takeFrom(allowance);
    ask("fetch", "fetches");
    ask("batch", "statements", 3);
    await waitForGrants();
    expect(granted).toEqual(["fetch", "batch"]);
  });

  it("an allowance grants waiting requests in their order", async () => {
    const allowance = makeAllowance({ fetches: 10, statements: 4 });
    const { granted, ask, waitForGrants } = takeFrom(allowance);
    ask("first", "statements", 3);
    ask("large", "statements", 3);
    ask("small", "statements", 1);
    await waitForGrants();
    expect(granted).toEqual(["first"]);
    allowance.renew();
    await waitForGrants();
    expect(granted).toEqual(["first", "large", "small"]);
  });

  it("an allowance grants a batch that exceeds the limit only to an invocation that has used nothing", async () => {
    const allowance = makeAllowance({ fetches: 10, statements: 4 });
    const { granted, ask, waitForGrants } = takeFrom(allowance);
    ask("small", "statements", 1);
    ask("larger than the limit", "statements", 9);
    await waitForGrants();
    expect(granted).toEqual(["small"]);
    allowance.renew();
    await waitForGrants();
    expect(granted).toEqual(["small", "larger than the limit"]);
  });

  it("an allowance asks once for the next invocation as soon as a request waits", async () => {
    let requests = 0;
    const allowance = makeAllowance({ fetches: 1, statements: 1 }, () => requests++);
    const { ask, waitForGrants } = takeFrom(allowance);
    let isReported = false;
    void allowance.exhausted.then(() => {
      isReported = true;
    });
    ask("a", "fetches");
    await waitForGrants();
    expect({ asked: requests, isReported }).toEqual({ asked: 0, isReported: false });
    for (const name of ["b", "c"]) ask(name, "fetches");
    await waitForGrants();
    expect({ asked: requests, isReported }).toEqual({ asked: 1, isReported: true });
    allowance.renew();
    await waitForGrants();
    expect({ asked: requests, isExhausted: allowance.isExhausted }).toEqual({ asked: 2, isExhausted: true });
  });
});
