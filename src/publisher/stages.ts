// How a publisher names the deliveries that it works, and the stages of them at which its starts are counted.
import { livePartsOf } from "../domain/delivery/thread.ts";
import { maybeSent } from "../domain/delivery/transitions.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";

export const nameOf = ({ delivery: { postId, channelId } }: DueDelivery): string => `${postId}:${channelId}`;

/**
 * What starts are counted at: one part of a thread, before it may be out or since. Where preparing ends an object every time,
 * asking the network may not.
 */
const stage = (due: DueDelivery, step: "send" | "ask"): string =>
  `${nameOf(due)}:${livePartsOf(due.delivery).length}:${step}`;
export const stageOf = (due: DueDelivery): string => stage(due, maybeSent(due.delivery.state) ? "ask" : "send");
export const stagesOf = (due: DueDelivery): string[] => [stage(due, "send"), stage(due, "ask")];
