// What options ask for once a post is live, beside its first comment: each is a call of its own, made once, one after the
// other, and never a reason to touch the post.
import { settleOnce } from "./first-comment.ts";
import type { Added, NotFound } from "./outcome.ts";

/** What callers see. */
export const ADDITION_STATUSES = ["pending", "done", "failed", "unknown"] as const;
export type AdditionStatus = (typeof ADDITION_STATUSES)[number];

export interface Addition {
  /** `due`: to be made. `sending`: the call was begun, and nobody has said yet how it ended. */
  state: "due" | "sending" | "done" | "failed" | "unknown";
  /** How often the network has put it off, or a lost one was looked for in vain. */
  tries: number;
  /** Why, in Crier's own words. */
  detail?: string;
  /** What the network said, cleaned. */
  networkMessage?: string;
}
/** By the option's name, in the order in which they are made. */
export type Additions = Record<string, Addition>;

export const additionsOf = ({ additions }: { additions: string | null }): Additions =>
  additions === null ? {} : JSON.parse(additions);

/** The additions of a post that has just gone live, as they are stored; null: it asks for none. */
export function dueAdditions(offered: readonly string[], override: Record<string, unknown> | undefined): string | null {
  const asked = offered.filter((name) => override?.[name] !== undefined);
  return asked.length === 0 ? null : JSON.stringify(Object.fromEntries(asked.map((name) => [name, DUE])));
}
const DUE: Addition = { state: "due", tries: 0 };

/**
 * The additions, as stored, of a delivery that is not known to be live and may have been by then (docs/operations.md): when it
 * is found live, its first comment and additions may have been made, so they are looked for and not made again. Nor is anything sent
 * again: another handle than it has may have been used.
 */
export const MAY_HAVE_BEEN_MADE = "{}";
/** Whether a delivery that is not known to be live was set back with its database: whatever it would do next may be done. */
export const isHeldBack = ({ additions }: { additions: string | null }): boolean => additions === MAY_HAVE_BEEN_MADE;

/** The one that is made next; undefined: all have ended. */
export const nextAddition = (additions: Additions): string | undefined =>
  Object.entries(additions).find(([, { state }]) => state === "due" || state === "sending")?.[0];

export const withAddition = (additions: Additions, name: string, changed: Addition): Additions => ({
  ...additions,
  [name]: changed,
});

/** What an answer makes of an addition, and when it is tried again (epoch milliseconds; null: there is no next try). */
export function settleAddition(
  answer: Added | NotFound,
  name: string,
  tries: number,
  now: number,
): { addition: Addition; nextAt: number | null } {
  const { state, nextAt, detail, ...said } = settleOnce(answer, tries, now, `\`${name}\``);
  const more = detail === null ? said : { detail, ...said };
  return { addition: { state, tries: nextAt === null ? tries : tries + 1, ...more }, nextAt };
}

export function additionsView(additions: Additions): Record<string, AdditionStatus> | null {
  const statuses = Object.entries(additions).map(([name, { state }]): [string, AdditionStatus] => [
    name,
    state === "due" || state === "sending" ? "pending" : state,
  ]);
  return statuses.length === 0 ? null : Object.fromEntries(statuses);
}

/** What is said of those that did not go well. */
export const additionNotes = (additions: Additions): string[] =>
  Object.values(additions).flatMap(({ detail }) => detail ?? []);

/** What the network said of the first of those that did not go well; null: it said nothing. */
export const additionMessage = (additions: Additions): string | null =>
  Object.values(additions).flatMap(({ networkMessage }) => networkMessage ?? [])[0] ?? null;
