// How a publisher names the deliveries that it works, and the stages of them at which its starts are counted.
import { livePartsOf } from "../domain/delivery/thread.ts";
import { maybeSent } from "../domain/delivery/transitions.ts";
import type { DueDelivery, DueWork } from "../store/deliveries/due.ts";

export const nameOf = ({ delivery: { postId, channelId } }: DueDelivery): string => `${postId}:${channelId}`;

/**
 * What starts are counted at: one part of a thread, before it may be out or since. Where preparing ends an object every time,
 * asking the network may not.
 */
const stage = (due: DueDelivery, step: "send" | "ask"): string =>
  `${nameOf(due)}:${livePartsOf(due.delivery).length}:${step}`;
export const stageOf = (due: DueDelivery): string => stage(due, maybeSent(due.delivery.state) ? "ask" : "send");
export const stagesOf = (due: DueDelivery): string[] => [stage(due, "send"), stage(due, "ask")];

/** Less than what lies between two starts: the platform waits two seconds before it repeats an alarm that failed. */
const LATE_MS = 1_000;

/** Whether a start that was in time would have done some of this work before. */
export const isLate = ({ now, deliveries }: DueWork): boolean =>
  deliveries.some(({ delivery: { nextAt } }) => nextAt !== null && nextAt <= now - LATE_MS);
