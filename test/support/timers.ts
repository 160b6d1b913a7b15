// Watches the timers that code sets: lists the pending ones, and rings them early.
import { vi } from "vitest";

interface WatchedTimer {
  ms: number;
  ring(): void;
}

/** Watches the timers that are set from now on, until `vi.restoreAllMocks()`. */
export function watchTimers() {
  const pending = new Map<unknown, WatchedTimer>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(globalThis, "setTimeout").mockImplementation((then: () => void, ms = 0) => {
    const ring = () => {
      clear(timer);
      if (pending.delete(timer)) then();
    };
    const timer = set(ring, ms);
    pending.set(timer, { ms, ring });
    return timer;
  });
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    pending.delete(timer);
    clear(timer);
  });
  // This timer cannot be cleared; it stays pending.
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    pending.set({}, { ms, ring: () => {} });
    return timeout(ms);
  });
  return {
    /** The times of the timers that are pending and were set for a second or longer, in milliseconds. */
    pendingMs: () => [...pending.values()].map(({ ms }) => ms).filter((ms) => ms >= 1_000),
    /** Rings all pending timers that were set for `ms`. */
    ring: (ms: number) => {
      for (const timer of [...pending.values()]) if (timer.ms === ms) timer.ring();
    },
  };
}
