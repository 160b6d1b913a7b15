// What callers see of the work that options ask for under a live post.
import { FOLLOW_UP_KINDS, type FollowUpKind, type FollowUpState } from "./follow-up-moves.ts";
import type { RemovedBy, TakedownState } from "./takedown.ts";

export const COMMENT_STATUSES = ["pending", "posted", "failed", "unknown"] as const;
type CommentStatus = (typeof COMMENT_STATUSES)[number];
/** Statuses of all work but the first comment. */
export const ADDITION_STATUSES = ["pending", "done", "failed", "unknown"] as const;
type AdditionStatus = (typeof ADDITION_STATUSES)[number];

interface ShownWork {
  kind: FollowUpKind;
  state: FollowUpState;
  detail: string | null;
  networkMessage: string | null;
}

const additionStatus = ({ state }: ShownWork): AdditionStatus =>
  state === "due" || state === "sending" ? "pending" : state;

const findComment = (followUps: readonly ShownWork[]) => followUps.find(({ kind }) => kind === "first_comment");
/** All work but the first comment, in the order in which it is done. */
const listAdditions = (followUps: readonly ShownWork[]) =>
  FOLLOW_UP_KINDS.flatMap((kind) => followUps.filter((work) => work.kind === kind && kind !== "first_comment"));

/** The first comment's status; null if none was asked for. */
export function commentView(followUps: readonly ShownWork[]): CommentStatus | null {
  const comment = findComment(followUps);
  if (comment === undefined) return null;
  const status = additionStatus(comment);
  return status === "done" ? "posted" : status;
}

/** The statuses of the other work by option; null if none was asked for. */
export function additionsView(followUps: readonly ShownWork[]): Record<string, AdditionStatus> | null {
  const statuses = listAdditions(followUps).map((work): [string, AdditionStatus] => [work.kind, additionStatus(work)]);
  return statuses.length === 0 ? null : Object.fromEntries(statuses);
}

/** Notes about the other work that was put off, failed or is unknown. */
export const additionNotes = (followUps: readonly ShownWork[]): string[] =>
  listAdditions(followUps).flatMap(({ detail }) => detail ?? []);

/** The network's message about the first of the other work that has one; null if it sent none. */
export const additionMessage = (followUps: readonly ShownWork[]): string | null =>
  listAdditions(followUps).flatMap(({ networkMessage }) => networkMessage ?? [])[0] ?? null;

interface ExplainedDelivery {
  detail: string | null;
  networkMessage: string | null;
  takedownState: TakedownState | null;
  takedownTries: number;
  removedBy: RemovedBy | null;
}

/**
 * The reason that callers see for a delivery: the reason of its takedown if there is one, otherwise that of its first comment,
 * otherwise its own.
 */
export function getReason(
  delivery: ExplainedDelivery,
  followUps: readonly ShownWork[],
): Pick<ShownWork, "detail" | "networkMessage"> {
  const { takedownState, takedownTries, removedBy } = delivery;
  const isOfTakedown = removedBy === "you" || takedownTries > 0 || (takedownState !== null && takedownState !== "due");
  const comment = findComment(followUps);
  return isOfTakedown || comment === undefined || comment.detail === null ? delivery : comment;
}
