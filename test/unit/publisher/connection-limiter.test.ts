import { describe, expect, it } from "vitest";
import { ConnectionLimiter, type ConnectionNeed } from "../../../src/delivery/connection-limiter.ts";

/** Makes works that start when the limiter allows it, and end when the test calls `end`. */
function makeCrowd() {
  const limiter = new ConnectionLimiter();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, need: Partial<ConnectionNeed>) => {
    const work = () =>
      new Promise<void>((end) => {
        started.push(name);
        ends.set(name, end);
      });
    return limiter.use({ network: name, hasFiles: false, isFollowUp: false, ...need }, work);
  };
  const readStarted = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    return [...started];
  };
  const end = (name: string) => {
    const endWork = ends.get(name) ?? expect.fail(`${name} has not begun`);
    endWork();
    return readStarted();
  };
  return { limiter, add, end, readStarted };
}

describe("connections", () => {
  it("at most five connections are used at once, in the order of their requests", async () => {
    const { add, end, readStarted } = makeCrowd();
    for (let i = 1; i <= 7; i++) void add(`network ${i}`, {});
    expect(await readStarted()).toHaveLength(5);
    expect(await end("network 3")).toEqual([1, 2, 3, 4, 5, 6].map((i) => `network ${i}`));
  });

  it("each network has at most two connections, so a network that hangs does not block others", async () => {
    const { add, end, readStarted } = makeCrowd();
    for (const name of ["a", "b", "c", "d"]) void add(name, { network: "hangs" });
    void add("other", {});
    expect(await readStarted()).toEqual(["a", "b", "other"]);
    expect(await end("a")).toEqual(["a", "b", "other", "c"]);
  });

  it("uploads count as two connections, so one connection is always left for a text", async () => {
    const { add, readStarted } = makeCrowd();
    for (let i = 1; i <= 3; i++) void add(`film ${i}`, { hasFiles: true });
    void add("text", {});
    expect(await readStarted()).toEqual(["film 1", "film 2", "text"]);
  });

  it("free connections are reserved for an upload that came before a text", async () => {
    const { add, end, readStarted } = makeCrowd();
    for (const name of ["a", "b", "c", "d", "e"]) void add(name, {});
    void add("film", { hasFiles: true });
    for (const name of ["f", "g", "h"]) void add(name, {});
    expect(await readStarted()).toEqual(["a", "b", "c", "d", "e"]);
    await end("a");
    expect(await end("b")).toEqual(["a", "b", "c", "d", "e", "film"]);
    expect(await end("c")).toEqual(["a", "b", "c", "d", "e", "film", "f"]);
  });

  it("no connections are reserved for an upload that waits for its own network", async () => {
    const { add, end, readStarted } = makeCrowd();
    for (const name of ["a", "b"]) void add(name, { network: "slow", hasFiles: true });
    for (const name of ["c", "d", "e", "f"]) void add(name, {});
    expect(await readStarted()).toEqual(["a", "c", "d", "e"]);
    expect(await end("c")).toEqual(["a", "c", "d", "e", "f"]);
  });

  it("the connections of one network leave enough for an upload to another network", async () => {
    const { add, end, readStarted } = makeCrowd();
    for (const name of ["a", "b"]) void add(name, { network: "hangs", hasFiles: true });
    void add("text", { network: "hangs" });
    void add("film", { hasFiles: true });
    expect(await readStarted()).toEqual(["a", "text", "film"]);
    expect(await end("a")).toEqual(["a", "text", "film", "b"]);
  });

  it("deliveries get connections before follow-ups, and at most two follow-ups run at once", async () => {
    const { add, end, readStarted } = makeCrowd();
    for (let i = 1; i <= 3; i++) void add(`look ${i}`, { isFollowUp: true });
    expect(await readStarted()).toEqual(["look 1", "look 2"]);
    for (let i = 1; i <= 4; i++) void add(`post ${i}`, {});
    expect(await readStarted()).toEqual(["look 1", "look 2", "post 1", "post 2", "post 3"]);
    expect(await end("look 1")).toContain("post 4");
    expect(await readStarted()).not.toContain("look 3");
    expect(await end("post 1")).toContain("look 3");
  });

  it("the connections of failed work are free again, and its error is passed to its caller", async () => {
    const { limiter, add, readStarted } = makeCrowd();
    const need = { network: "x", hasFiles: true, isFollowUp: true };
    for (let i = 0; i < 4; i++) {
      await expect(limiter.use(need, () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
    }
    for (let i = 1; i <= 5; i++) void add(`network ${i}`, {});
    expect(await readStarted()).toHaveLength(5);
  });
});
