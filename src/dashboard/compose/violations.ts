// Maps violations to the fields of the page.
import { Refusal } from "../../client/errors.ts";
import type { Fix, Violation, Words } from "../words/violation-words.ts";

export type { Violation };

/** The violations of a refusal. A refusal without a list of violations is itself returned as the only one. */
export function readViolations(error: unknown): Violation[] {
  if (!(error instanceof Refusal)) return [];
  const { violations, error: code, message, hint, field } = error.body;
  return violations ?? [{ code, message, hint, field }];
}

export type Spot =
  | { at: "text" | "media" | "when" | "channels" | "type" | "labels" | "thread" | "poll" | "repeat" | "elsewhere" }
  | { at: "file"; index: number }
  | { at: "part"; index: number; field: string }
  | { at: "own"; channel: string; option: string };

const FIELDS: Record<
  string,
  "text" | "media" | "when" | "channels" | "type" | "labels" | "thread" | "poll" | "repeat"
> = {
  text: "text",
  media: "media",
  media_preview: "media",
  publish_at: "when",
  channels: "channels",
  post_type: "type",
  labels: "labels",
  thread: "thread",
  poll: "poll",
  repeat: "repeat",
};

/** Finds the place on the page where a violation belongs, from its JSON pointer. */
export function locateViolation({ field = "" }: Violation): Spot {
  const [first = "", second, third] = field
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (first === "overrides" && second !== undefined) return { at: "own", channel: second, option: third ?? "" };
  if (first === "thread" && second !== undefined) return { at: "part", index: Number(second), field: third ?? "" };
  if (first === "media" && second !== undefined) return { at: "file", index: Number(second) };
  return { at: FIELDS[first] ?? "elsewhere" };
}

export const exactlyAt = (violations: readonly Violation[], pointer: string): Violation[] =>
  violations.filter(({ field }) => field === pointer);

/** The violations of this place and everything inside it. */
export const within = (violations: readonly Violation[], pointer: string): Violation[] =>
  violations.filter(({ field = "" }) => field === pointer || field.startsWith(`${pointer}/`));

/** The channels that have violations; null if a violation concerns all channels. */
export function brokenChannels(violations: readonly Violation[]): string[] | null {
  const channels = violations.map(({ channel }) => channel);
  return channels.some((channel) => channel === undefined) ? null : channels.filter((channel) => channel !== undefined);
}

/** Violations that the same buttons solve, for example of all networks that need a file. */
export interface Problem {
  lines: { violation: Violation; text: string }[];
  fixes: Fix[];
}

/** Groups violations by their fixes, so that each button appears once. A violation without a fix is a problem of its own. */
export function groupProblems(violations: readonly Violation[], describe: (violation: Violation) => Words): Problem[] {
  const problems = new Map<unknown, Problem>();
  for (const violation of violations) {
    const { text, fixes } = describe(violation);
    const key = fixes.length === 0 ? violation : JSON.stringify(fixes);
    const problem = problems.get(key) ?? { lines: [], fixes };
    problem.lines.push({ violation, text });
    problems.set(key, problem);
  }
  return [...problems.values()];
}
