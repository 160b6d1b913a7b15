/** Long enough for a busy machine, because it should only end a test that hangs. */
export const PATIENCE_MS = 180_000;
/** The pauses between two checks grow, because each check is work for the machine. */
const PAUSE_MS = { first: 30, last: 250, factor: 1.3 };

/** Repeats `check` until it does not throw, and returns its result. */
export async function eventually<Found>(check: () => Found | Promise<Found>): Promise<Found> {
  const limit = performance.now() + PATIENCE_MS;
  for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * PAUSE_MS.factor, PAUSE_MS.last)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > limit) throw error;
    }
    await new Promise((wake) => setTimeout(wake, pause));
  }
}
