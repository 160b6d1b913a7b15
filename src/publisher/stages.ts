// How a publisher names the deliveries that it works, and the stages at which it counts their starts.
import { maybeSent } from "../domain/delivery/transitions.ts";
import type { DueDelivery, DueWork } from "../store/deliveries/due.ts";

export const nameDelivery = (postId: string, channelId: string): string => `${postId}:${channelId}`;
export const getDeliveryName = ({ delivery: { postId, channelId } }: DueDelivery): string =>
  nameDelivery(postId, channelId);

/**
 * A stage at which starts are counted: `send` until a thread part may have been published, then `ask`. The two are separate
 * because asking the network may still work if preparing the part crashes the object every time.
 */
const stage = (due: DueDelivery, step: "send" | "ask"): string =>
  `${getDeliveryName(due)}:${due.threadParts.length}:${step}`;
export const getStage = (due: DueDelivery): string => stage(due, maybeSent(due.delivery.state) ? "ask" : "send");
export const listStages = (due: DueDelivery): string[] => [stage(due, "send"), stage(due, "ask")];

/** Less than the time between two starts, because the platform waits two seconds before it repeats a failed alarm. */
const LATE_MS = 1_000;

/** Whether an earlier start, made in time, would have done some of this work. */
export const isLate = ({ now, deliveries }: DueWork): boolean =>
  deliveries.some(({ delivery: { nextAt } }) => nextAt !== null && nextAt <= now - LATE_MS);
