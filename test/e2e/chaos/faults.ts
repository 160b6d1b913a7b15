// Faults of the networks during a run.
import type { Simulator } from "../../../simulators/simulator.ts";
import type { Random } from "./random.ts";
import { getAccountKey } from "./verdict.ts";

/** A fault as the simulators list it. */
export interface ArmedFault {
  platform: string;
  account?: string;
  call: string;
  count: number;
  do: string;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  delay_ms?: number;
}

type Kind = (random: Random) => Omit<ArmedFault, "platform" | "account" | "call" | "count">;

/** Each of them leaves it unknown whether the post is live, because a refusal without the network's own words proves nothing. */
const KINDS: Kind[] = [
  () => ({ do: "reset_after_accept" }),
  () => ({ do: "reset_before" }),
  () => ({ do: "status_after_accept", status: 503 }),
  () => ({ do: "status", status: 503 }),
  () => ({ do: "status", status: 429, headers: { "retry-after": "2" } }),
  (random) => ({ do: "timeout_after_accept", delay_ms: random.between(500, 3_000) }),
  (random) => ({ do: "timeout", delay_ms: random.between(500, 3_000) }),
];

/** Faults of publishing calls, on random accounts. */
export function chooseFaults(
  random: Random,
  simulators: Simulator[],
  channels: { platform: string; account: string }[],
  count: number,
): ArmedFault[] {
  return Array.from({ length: count }, () => {
    const { platform, account } = random.one(channels);
    const { publishCalls = {} } = simulators.find((simulator) => simulator.platform === platform) ?? {};
    const calls = [...new Set(Object.values(publishCalls))];
    return { platform, account, call: random.one(calls), count: 1, ...random.one(KINDS)(random) };
  });
}

/** Every publishing call is slow, so that a kill interrupts some of them. */
export function chooseDelays(random: Random, simulators: Simulator[]): ArmedFault[] {
  return simulators.flatMap(({ platform, publishCalls }) =>
    [...new Set(Object.values(publishCalls))].map((call) => ({
      platform,
      call,
      count: 1_000_000,
      do: DELAY,
      delay_ms: random.between(50, 1_000),
    })),
  );
}
const DELAY = "delay";

/** How often each account met a fault: faults that were armed and have been used up. */
export function metFaults(armed: ArmedFault[], remaining: ArmedFault[]): Map<string, number> {
  const met = new Map<string, number>();
  const add = (faults: ArmedFault[], sign: 1 | -1) => {
    for (const { platform, account = "", count } of faults.filter((fault) => fault.do !== DELAY)) {
      const place = getAccountKey({ platform, account });
      met.set(place, (met.get(place) ?? 0) + sign * count);
    }
  };
  add(armed, 1);
  add(remaining, -1);
  return met;
}
