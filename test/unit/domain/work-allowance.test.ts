import { describe, expect, it } from "vitest";
import { WorkAllowance, type WorkLimits } from "../../../src/domain/work-allowance.ts";

const allow = (limits: WorkLimits, askForInvocation = () => {}) => new WorkAllowance(limits, askForInvocation);

/** Takes from an allowance, and tells what has been granted so far. */
function take(allowance: WorkAllowance) {
  const granted: string[] = [];
  return {
    granted,
    ask: (name: string, meter: "fetches" | "statements", count = 1) =>
      void allowance.take(meter, count).then(() => granted.push(name)),
    /** Lets everything that can go on go on. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe("the allowance of an invocation", () => {
  it("grants up to its limit, and keeps the rest waiting until the next invocation", async () => {
    const allowance = allow({ fetches: 2, statements: 10 });
    const { granted, ask, settle } = take(allowance);
    for (const name of ["a", "b", "c", "d", "e"]) ask(name, "fetches");
    await settle();
    expect(granted).toEqual(["a", "b"]);
    expect(allowance.isExhausted).toBe(true);

    allowance.renew();
    await settle();
    expect(granted).toEqual(["a", "b", "c", "d"]);
    expect(allowance.isExhausted).toBe(true);

    allowance.renew();
    await settle();
    expect(granted).toEqual(["a", "b", "c", "d", "e"]);
    expect(allowance.isExhausted).toBe(false);
  });

  it("counts fetches and statements apart", async () => {
    const allowance = allow({ fetches: 1, statements: 3 });
    const { granted, ask, settle } = take(allowance);
    ask("fetch", "fetches");
    ask("batch", "statements", 3);
    await settle();
    expect(granted).toEqual(["fetch", "batch"]);
  });

  it("lets nothing overtake work that waits", async () => {
    const allowance = allow({ fetches: 10, statements: 4 });
    const { granted, ask, settle } = take(allowance);
    ask("first", "statements", 3);
    ask("large", "statements", 3);
    ask("small", "statements", 1);
    await settle();
    expect(granted).toEqual(["first"]);
    allowance.renew();
    await settle();
    expect(granted).toEqual(["first", "large", "small"]);
  });

  it("grants a batch that is larger than the limit to an invocation that has used nothing", async () => {
    const allowance = allow({ fetches: 10, statements: 4 });
    const { granted, ask, settle } = take(allowance);
    ask("small", "statements", 1);
    ask("larger than the limit", "statements", 9);
    await settle();
    expect(granted).toEqual(["small"]);
    allowance.renew();
    await settle();
    expect(granted).toEqual(["small", "larger than the limit"]);
  });

  it("asks once for the next invocation as soon as something waits for it", async () => {
    let asked = 0;
    const allowance = allow({ fetches: 1, statements: 1 }, () => asked++);
    const { ask, settle } = take(allowance);
    let isReported = false;
    void allowance.exhausted.then(() => {
      isReported = true;
    });
    ask("a", "fetches");
    await settle();
    expect({ asked, isReported }).toEqual({ asked: 0, isReported: false });
    for (const name of ["b", "c"]) ask(name, "fetches");
    await settle();
    expect({ asked, isReported }).toEqual({ asked: 1, isReported: true });
    allowance.renew();
    await settle();
    expect({ asked, isExhausted: allowance.isExhausted }).toEqual({ asked: 2, isExhausted: true });
  });
});
