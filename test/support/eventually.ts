/** Long enough for a machine that has other things to do: it ends what hangs, and measures nothing. */
const LIMIT_MS = 180_000;
/** Between two looks: what takes long is looked at more and more seldom, because each look is work for the machine too. */
const PAUSE_MS = { first: 30, last: 250, factor: 1.3 };

/** What `check` answers once it does not throw any more: for what comes by itself. */
export async function eventually<Found>(check: () => Found | Promise<Found>): Promise<Found> {
  const limit = performance.now() + LIMIT_MS;
  for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * PAUSE_MS.factor, PAUSE_MS.last)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > limit) throw error;
    }
    await new Promise((wake) => setTimeout(wake, pause));
  }
}
