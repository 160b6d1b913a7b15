import { describe, expect, it } from "vitest";
import { ConnectionLimiter, type ConnectionNeed } from "../../../src/delivery/connection-limiter.ts";

/** Works that begin when they are let, and end when the test says so. */
function crowd() {
  const limiter = new ConnectionLimiter();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, need: Partial<ConnectionNeed>) => {
    const work = () =>
      new Promise<void>((end) => {
        begun.push(name);
        ends.set(name, end);
      });
    return limiter.use({ network: name, hasFiles: false, isFollowUp: false, ...need }, work);
  };
  const settled = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    return [...begun];
  };
  const end = (name: string) => {
    const known = ends.get(name) ?? expect.fail(`${name} has not begun`);
    known();
    return settled();
  };
  return { limiter, add, end, settled };
}

describe("connections", () => {
  it("are five at once, in the order of their coming", async () => {
    const { add, end, settled } = crowd();
    for (let i = 1; i <= 7; i++) void add(`network ${i}`, {});
    expect(await settled()).toHaveLength(5);
    expect(await end("network 3")).toEqual([1, 2, 3, 4, 5, 6].map((i) => `network ${i}`));
  });

  it("are two for each network: one that hangs leaves the others theirs", async () => {
    const { add, end, settled } = crowd();
    for (const name of ["a", "b", "c", "d"]) void add(name, { network: "hangs" });
    void add("other", {});
    expect(await settled()).toEqual(["a", "b", "other"]);
    expect(await end("a")).toEqual(["a", "b", "other", "c"]);
  });

  it("with files count twice, and a text always finds one that no upload has", async () => {
    const { add, settled } = crowd();
    for (let i = 1; i <= 3; i++) void add(`film ${i}`, { hasFiles: true });
    void add("text", {});
    expect(await settled()).toEqual(["film 1", "film 2", "text"]);
  });

  it("that become free are kept for a file that came before a text", async () => {
    const { add, end, settled } = crowd();
    for (const name of ["a", "b", "c", "d", "e"]) void add(name, {});
    void add("film", { hasFiles: true });
    for (const name of ["f", "g", "h"]) void add(name, {});
    expect(await settled()).toEqual(["a", "b", "c", "d", "e"]);
    await end("a");
    expect(await end("b")).toEqual(["a", "b", "c", "d", "e", "film"]);
    expect(await end("c")).toEqual(["a", "b", "c", "d", "e", "film", "f"]);
  });

  it("are not kept for a file that waits for its own network", async () => {
    const { add, end, settled } = crowd();
    for (const name of ["a", "b"]) void add(name, { network: "slow", hasFiles: true });
    for (const name of ["c", "d", "e", "f"]) void add(name, {});
    expect(await settled()).toEqual(["a", "c", "d", "e"]);
    expect(await end("c")).toEqual(["a", "c", "d", "e", "f"]);
  });

  it("of one network leave another one enough for a file", async () => {
    const { add, end, settled } = crowd();
    for (const name of ["a", "b"]) void add(name, { network: "hangs", hasFiles: true });
    void add("text", { network: "hangs" });
    void add("film", { hasFiles: true });
    expect(await settled()).toEqual(["a", "text", "film"]);
    expect(await end("a")).toEqual(["a", "text", "film", "b"]);
  });

  it("are given to deliveries before follow-ups, of which two go at once", async () => {
    const { add, end, settled } = crowd();
    for (let i = 1; i <= 3; i++) void add(`look ${i}`, { isFollowUp: true });
    expect(await settled()).toEqual(["look 1", "look 2"]);
    for (let i = 1; i <= 4; i++) void add(`post ${i}`, {});
    expect(await settled()).toEqual(["look 1", "look 2", "post 1", "post 2", "post 3"]);
    expect(await end("look 1")).toContain("post 4");
    expect(await settled()).not.toContain("look 3");
    expect(await end("post 1")).toContain("look 3");
  });

  it("of work that fails are free again, and its failure is its own", async () => {
    const { limiter, add, settled } = crowd();
    const need = { network: "x", hasFiles: true, isFollowUp: true };
    for (let i = 0; i < 4; i++) {
      await expect(limiter.use(need, () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
    }
    for (let i = 1; i <= 5; i++) void add(`network ${i}`, {});
    expect(await settled()).toHaveLength(5);
  });
});
