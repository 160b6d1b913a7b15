// What callers see of the follow-ups of a published delivery.
import type { RequestedEdit } from "./edit.ts";
import { type FollowUpKind, type FollowUpState, OPTION_KINDS } from "./follow-up-moves.ts";
import type { DeliveryState } from "./transitions.ts";

export const COMMENT_STATUSES = ["pending", "posted", "failed", "unknown"] as const;
type CommentStatus = (typeof COMMENT_STATUSES)[number];
/** Statuses of all work but the first comment. */
export const ADDITION_STATUSES = ["pending", "done", "failed", "unknown"] as const;
type AdditionStatus = (typeof ADDITION_STATUSES)[number];

interface Explained {
  detail: string | null;
  networkMessage: string | null;
}
interface ShownWork extends Explained {
  kind: FollowUpKind;
  state: FollowUpState;
}

const workStatus = ({ state }: ShownWork): AdditionStatus =>
  state === "due" || state === "sending" ? "pending" : state;

const findWork = (followUps: readonly ShownWork[], kind: FollowUpKind) => followUps.find((work) => work.kind === kind);
/** The work of all options but the first comment, in the order in which it is done. */
const listAdditions = (followUps: readonly ShownWork[]) =>
  OPTION_KINDS.flatMap((kind) => followUps.filter((work) => work.kind === kind && kind !== "first_comment"));

/** The first comment's status; null if none was asked for. */
export function commentView(followUps: readonly ShownWork[]): CommentStatus | null {
  const comment = findWork(followUps, "first_comment");
  if (comment === undefined) return null;
  const status = workStatus(comment);
  return status === "done" ? "posted" : status;
}

/** The statuses of the other work by option; null if none was asked for. */
export function additionsView(followUps: readonly ShownWork[]): Record<string, AdditionStatus> | null {
  const statuses = listAdditions(followUps).map((work): [string, AdditionStatus] => [work.kind, workStatus(work)]);
  return statuses.length === 0 ? null : Object.fromEntries(statuses);
}

/** Notes about the other work that was put off, failed or is unknown. */
export const additionNotes = (followUps: readonly ShownWork[]): string[] =>
  listAdditions(followUps).flatMap(({ detail }) => detail ?? []);

/** The network's message about the first of the other work that has one; null if it sent none. */
export const additionMessage = (followUps: readonly ShownWork[]): string | null =>
  listAdditions(followUps).flatMap(({ networkMessage }) => networkMessage ?? [])[0] ?? null;

/** The statuses of a takedown. One that succeeded shows as the delivery's status `removed`. */
export const TAKEDOWN_STATUSES = ["pending", "failed", "unknown"] as const;
type TakedownStatus = (typeof TAKEDOWN_STATUSES)[number];

/** The status of a takedown; null if none was requested, or if the post is gone. */
export function takedownView(followUps: readonly ShownWork[]): TakedownStatus | null {
  const takedown = findWork(followUps, "takedown");
  const status = takedown === undefined ? "done" : workStatus(takedown);
  return status === "done" ? null : status;
}

/** The last edit that was requested, as callers see it; null if none was. */
export function editView(
  followUps: readonly (ShownWork & { edit: RequestedEdit | null })[],
): { status: AdditionStatus; text: string } | null {
  const work = followUps.find(({ kind }) => kind === "edit");
  return work?.edit == null ? null : { status: workStatus(work), text: work.edit.text };
}

/** `network`: someone deleted the post on the network, or the network itself did. */
export const REMOVERS = ["you", "network"] as const;

/** Who removed the post; null if it is not removed. A post that was to be taken down and is gone was removed by its owner. */
export function removedByView(state: DeliveryState, followUps: readonly ShownWork[]): (typeof REMOVERS)[number] | null {
  if (state !== "removed") return null;
  return findWork(followUps, "takedown") === undefined ? "network" : "you";
}

/**
 * The reason that callers see for a delivery: that of its takedown, otherwise that of its edit, otherwise that of its first
 * comment, otherwise its own.
 */
export function getReason(delivery: Explained, followUps: readonly ShownWork[]): Explained {
  const works = [findWork(followUps, "takedown"), findWork(followUps, "edit"), findWork(followUps, "first_comment")];
  return works.find((work) => work !== undefined && work.detail !== null) ?? delivery;
}
