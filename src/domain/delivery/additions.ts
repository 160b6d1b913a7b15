// Additions: calls that options ask for once a post is live, in addition to its first comment. They are made once and one
// after the other, and never change the post.
import { settleOnce } from "./first-comment.ts";
import type { Added, NotFound } from "./outcome.ts";

/** Statuses that callers see. */
export const ADDITION_STATUSES = ["pending", "done", "failed", "unknown"] as const;
export type AdditionStatus = (typeof ADDITION_STATUSES)[number];

export interface Addition {
  /** `due`: to be made. `sending`: the call was begun, and its outcome is not known yet. */
  state: "due" | "sending" | "done" | "failed" | "unknown";
  /** How often the network has put it off, or reconciling a lost call did not find it. */
  tries: number;
  /** The reason in Crier's own words. */
  detail?: string;
  /** The network's message, cleaned. */
  networkMessage?: string;
}
/** By option name, in the order in which they are made. */
export type Additions = Record<string, Addition>;

export const parseAdditions = ({ additions }: { additions: string | null }): Additions =>
  additions === null ? {} : JSON.parse(additions);

/** The additions of a post that has just gone live, as they are stored; null if it asks for none. */
export function dueAdditions(offered: readonly string[], override: Record<string, unknown> | undefined): string | null {
  const requestedNames = offered.filter((name) => override?.[name] !== undefined);
  return requestedNames.length === 0
    ? null
    : JSON.stringify(Object.fromEntries(requestedNames.map((name) => [name, DUE])));
}
const DUE: Addition = { state: "due", tries: 0 };

/**
 * The stored additions of a delivery that was restored in a state before live, although it may have gone live since
 * (docs/operations.md). If it is found live, its first comment and additions may have been made, so they are reconciled and
 * not made again. Nothing else is sent again either, because a later publish key may have been used.
 */
export const MAY_HAVE_BEEN_MADE = "{}";
/**
 * Whether a delivery that is not known to be live was set back with its database: its next step may already have been taken.
 */
export const isHeldBack = ({ additions }: { additions: string | null }): boolean => additions === MAY_HAVE_BEEN_MADE;

/** The name of the next addition to make; undefined if all have ended. */
export const nextAddition = (additions: Additions): string | undefined =>
  Object.entries(additions).find(([, { state }]) => state === "due" || state === "sending")?.[0];

export const withAddition = (additions: Additions, name: string, changed: Addition): Additions => ({
  ...additions,
  [name]: changed,
});

/**
 * Turns an answer into the state of an addition, and the time of the next try (epoch milliseconds; null if there is no next
 * try).
 */
export function settleAddition(
  answer: Added | NotFound,
  name: string,
  tries: number,
  now: number,
): { addition: Addition; nextAt: number | null } {
  const { state, nextAt, detail, ...reasonFields } = settleOnce(answer, tries, now, `\`${name}\``);
  const keptReason = detail === null ? reasonFields : { detail, ...reasonFields };
  return { addition: { state, tries: nextAt === null ? tries : tries + 1, ...keptReason }, nextAt };
}

export function additionsView(additions: Additions): Record<string, AdditionStatus> | null {
  const statuses = Object.entries(additions).map(([name, { state }]): [string, AdditionStatus] => [
    name,
    state === "due" || state === "sending" ? "pending" : state,
  ]);
  return statuses.length === 0 ? null : Object.fromEntries(statuses);
}

/** Notes about the additions that failed or are unknown. */
export const additionNotes = (additions: Additions): string[] =>
  Object.values(additions).flatMap(({ detail }) => detail ?? []);

/** The network's message about the first addition that failed or is unknown; null if it sent none. */
export const additionMessage = (additions: Additions): string | null =>
  Object.values(additions).flatMap(({ networkMessage }) => networkMessage ?? [])[0] ?? null;
