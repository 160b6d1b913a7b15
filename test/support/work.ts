// How much more work ten times the input is.
import { expect } from "vitest";

/** Ten times is linear, a hundred times the square: in between there is room for a busy machine on either side. */
const RATIO_MAX = 50;
const TRIES = 20;
/** Less is told from nothing by no clock. */
const LEAST_MICROS = 2_000;

/**
 * That ten times the input is nowhere near a hundred times the work. What is compared is CPU time of this thread, which
 * the load of the machine hardly touches, and one try of many is enough, because no run is ever faster than the work in it. A
 * parser whose work grows with the square fails every try by a factor of two.
 */
export function expectLinear(work: (input: string) => unknown, piece: string, length: number): void {
  const of = (size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const [small, large] = [of(length / 10), of(length)];
  // Ten runs of the small one for each of the large one: the same work if it is linear, so that both are measured alike.
  const timesOf = (input: string, times: number) => cpuOf(() => Array.from({ length: times }, () => work(input)));
  let times = 1;
  while (timesOf(small, 10 * times) < LEAST_MICROS) times *= 2;
  let ratio = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && ratio > RATIO_MAX; n++) {
    ratio = Math.min(ratio, (10 * timesOf(large, times)) / timesOf(small, 10 * times));
  }
  expect(ratio, `${JSON.stringify(piece).slice(0, 40)}: so many times the work`).toBeLessThanOrEqual(RATIO_MAX);
}

/** Microseconds of this thread's CPU. */
function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, user + system);
}
