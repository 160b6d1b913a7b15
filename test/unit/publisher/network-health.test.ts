import { describe, expect, it } from "vitest";
import { NetworkHealth } from "../../../src/delivery/network-health.ts";
import type { NetworkIO } from "../../../src/networks/network.ts";

type Answers = "answers" | "hangs" | "breaks";

function setUpHealth() {
  const clock = { now: 1_000_000 };
  const health = new NetworkHealth(() => clock.now);
  /** Calls a network that behaves in this way. */
  async function call(network: string, behaviour: Answers): Promise<void> {
    const limit = new AbortController();
    const io: Pick<NetworkIO, "fetch" | "fetchPublic"> = {
      async fetch() {
        if (behaviour === "answers") return new Response("ok", { status: 503 });
        if (behaviour === "hangs") limit.abort();
        throw new Error(behaviour);
      },
      fetchPublic: () => Promise.reject(new Error("not called")),
    };
    const unused = {
      app: null,
      now: () => clock.now,
      wait: () => Promise.resolve(),
      random: () => new Uint8Array(),
      chunksDivisor: 1,
      sized: (stream: ReadableStream) => stream,
    };
    await health
      .watch(network, { ...unused, ...io })
      .fetch("https://network.example/", { signal: limit.signal })
      .catch(() => {});
  }
  return { clock, health, call };
}

describe("a network", () => {
  it("only a network with two consecutive calls without an answer is paused for a while", async () => {
    const { clock, health, call } = setUpHealth();
    await call("slow", "hangs");
    expect(health.isPaused("slow")).toBe(false);
    await call("slow", "hangs");
    expect(health.isPaused("slow")).toBe(true);
    expect(health.isPaused("other")).toBe(false);
    clock.now += 30_000;
    expect(health.isPaused("slow")).toBe(false);
    // After a pause, a single call without an answer pauses the network again.
    await call("slow", "hangs");
    expect(health.isPaused("slow")).toBe(true);
  });

  it("a network is not paused if it answers in between, or if connections only break", async () => {
    const { health, call } = setUpHealth();
    for (const behaviour of ["hangs", "answers", "hangs", "answers"] as const) await call("slow", behaviour);
    for (let i = 0; i < 5; i++) await call("broken", "breaks");
    expect(health.isPaused("slow")).toBe(false);
    expect(health.isPaused("broken")).toBe(false);
  });
});
