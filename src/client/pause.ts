/** Waits. Throws the reason of `signal` when it is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((settle, fail) => {
    const stop = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      settle();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
export type Pause = typeof pause;

/** Waits between questions while nobody answers. */
const PATIENT_WAITS_MS = [2_000, 5_000, 10_000, 20_000, 30_000];

/** The wait before question `tries` (from 0), while nobody answers. */
export const patientWaitMs = (tries: number): number =>
  PATIENT_WAITS_MS[Math.min(tries, PATIENT_WAITS_MS.length - 1)] ?? 30_000;
