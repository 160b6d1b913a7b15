import { vi } from "vitest";

/** Long enough for a machine that has other things to do: it ends what hangs, and measures nothing. */
const LIMIT_MS = 180_000;

/** What `check` answers once it does not throw any more: for what comes by itself. */
export const eventually = <Found>(check: () => Found | Promise<Found>): Promise<Found> =>
  vi.waitFor(check, { timeout: LIMIT_MS, interval: 30 });
