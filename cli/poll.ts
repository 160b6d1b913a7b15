// A poll as typed: its question, its answers and its duration.
import type { Body } from "./api/client.ts";
import { usage } from "./failure.ts";

type Poll = NonNullable<Body<"posts.create">["poll"]>;

const MINUTES = { m: 1, h: 60, d: 1_440 } as const;
const DEFAULT_MINUTES = 1_440;

export function readPoll(
  question: string | undefined,
  options: string[],
  duration: string | undefined,
): Poll | undefined {
  if (question === undefined) {
    if (options.length > 0 || duration !== undefined)
      throw usage("--option and --poll-for belong to a poll.", "add --poll 'QUESTION'");
    return undefined;
  }
  if (options.length === 0) throw usage("A poll needs answers to choose from.", "add an --option for each");
  return { question, options, minutes: duration === undefined ? DEFAULT_MINUTES : readMinutes(duration) };
}

function readMinutes(typed: string): number {
  const { count, unit } = /^(?<count>\d{1,6})(?<unit>[mhd])$/.exec(typed.trim())?.groups ?? {};
  const factor = unit === "m" || unit === "h" || unit === "d" ? MINUTES[unit] : undefined;
  if (count === undefined || factor === undefined || Number(count) === 0)
    throw usage(`--poll-for '${typed}' is not a duration.`, "for example 30m, 12h or 3d");
  return Number(count) * factor;
}
