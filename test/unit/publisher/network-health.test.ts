import { describe, expect, it } from "vitest";
import { NetworkHealth } from "../../../src/delivery/network-health.ts";
import type { NetworkIO } from "../../../src/networks/network.ts";

type Answers = "answers" | "hangs" | "breaks";

function world() {
  const clock = { now: 1_000_000 };
  const health = new NetworkHealth(() => clock.now);
  /** One call of a network, with what becomes of it. */
  async function call(network: string, what: Answers): Promise<void> {
    const limit = new AbortController();
    const io: Pick<NetworkIO, "fetch" | "fetchPublic"> = {
      async fetch() {
        if (what === "answers") return new Response("ok", { status: 503 });
        if (what === "hangs") limit.abort();
        throw new Error(what);
      },
      fetchPublic: () => Promise.reject(new Error("not called")),
    };
    const unused = {
      app: null,
      now: () => clock.now,
      wait: () => Promise.resolve(),
      random: () => new Uint8Array(),
      partsDivisor: 1,
      sized: (all: ReadableStream) => all,
    };
    await health
      .watch(network, { ...unused, ...io })
      .fetch("https://network.example/", { signal: limit.signal })
      .catch(() => {});
  }
  return { clock, health, call };
}

describe("a network", () => {
  it("is left alone for a while after two calls in a row without an answer, and no other with it", async () => {
    const { clock, health, call } = world();
    await call("slow", "hangs");
    expect(health.isPaused("slow")).toBe(false);
    await call("slow", "hangs");
    expect(health.isPaused("slow")).toBe(true);
    expect(health.isPaused("other")).toBe(false);
    clock.now += 30_000;
    expect(health.isPaused("slow")).toBe(false);
    // It is tried once, not twice, when it was left alone before.
    await call("slow", "hangs");
    expect(health.isPaused("slow")).toBe(true);
  });

  it("is not left alone when it answers in between, whatever it says, nor when connections only break", async () => {
    const { health, call } = world();
    for (const what of ["hangs", "answers", "hangs", "answers"] as const) await call("slow", what);
    for (let i = 0; i < 5; i++) await call("broken", "breaks");
    expect(health.isPaused("slow")).toBe(false);
    expect(health.isPaused("broken")).toBe(false);
  });
});
