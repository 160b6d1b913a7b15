// Checks how the work of a parser grows with the size of its input.
import { expect } from "vitest";

/** For ten times the input, linear work grows by 10 and quadratic work by 100. The limit in between tolerates a busy machine. */
const RATIO_MAX = 50;
const TRIES = 20;
/** The shortest duration that the clock can measure reliably. */
const LEAST_MICROS = 2_000;

/**
 * Expects that ten times the input is far less than a hundred times the work. It compares CPU times of this thread, because other load
 * on the machine hardly changes them. One good try of many is enough, because no run is faster than the work in it. A parser with
 * quadratic work fails every try by a factor of two.
 */
export function expectLinear(work: (input: string) => unknown, piece: string, length: number): void {
  const repeatPiece = (size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const [small, large] = [repeatPiece(length / 10), repeatPiece(length)];
  // The small input runs ten times for each run of the large one. With linear work both take equally long and are measured equally well.
  const timeRuns = (input: string, times: number) => measureCpu(() => Array.from({ length: times }, () => work(input)));
  let times = 1;
  while (timeRuns(small, 10 * times) < LEAST_MICROS) times *= 2;
  let ratio = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && ratio > RATIO_MAX; n++) {
    ratio = Math.min(ratio, (10 * timeRuns(large, times)) / timeRuns(small, 10 * times));
  }
  expect(ratio, `${JSON.stringify(piece).slice(0, 40)}: so many times the work`).toBeLessThanOrEqual(RATIO_MAX);
}

/** Measures the CPU time of this thread, in microseconds. */
function measureCpu(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, user + system);
}
