/** Waits. Throws the reason of `signal` if it is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
export type Pause = typeof pause;

/** Waits between retries during an outage. */
const PATIENT_WAITS_MS = [2_000, 5_000, 10_000, 20_000, 30_000];

/** The wait before retry `tries` (from 0) during an outage. */
export const patientWaitMs = (tries: number): number =>
  PATIENT_WAITS_MS[Math.min(tries, PATIENT_WAITS_MS.length - 1)] ?? 30_000;
