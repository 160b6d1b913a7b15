// Step 1. Claiming writes nothing: the session's guard is a row above the one that was read, and the first write shows that
// the delivery is taken. Only a call that an earlier session left without an answer is noted here. A delivery that may not be
// worked ends at once.
import { missedDeadline } from "../domain/delivery/decide-outcome.ts";
import type { Network } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { recoverSend } from "../store/deliveries/send-intent.ts";
import { cancelUnsent, whyStopped } from "../store/deliveries/stop-unsent.ts";
import { whyNotPublishable } from "./credentials.ts";
import type { Decided, DeliverySession } from "./delivery-session.ts";

/** Claims a delivery. Returns its network, or the decision if nothing can be done for it. Throws `GuardLost`. */
export async function claim(session: DeliverySession): Promise<Network | Decided> {
  const { delivery, channel, post } = session.due;
  const { network } = session;
  if (network === undefined) {
    return { decision: session.fail("service_misconfigured", { detail: "this deployment has no such network" }) };
  }
  if (delivery.state === "sending") await recover(session);
  if (!session.maybeSent) {
    if (post.cancelledAt !== null) return stopUnsent(session);
    if (missedDeadline(session.facts, session.now())) {
      return { decision: session.fail("missed_deadline", { detail: "it was more than 24 hours late" }) };
    }
  }
  // A post that the network has accepted may still go live, even if the channel was disconnected since.
  const unusable = whyNotPublishable(channel, session.now());
  if (unusable === null) return network;
  return { decision: session.fail(unusable, { detail: "the channel was not connected when its time came" }) };
}

/** If an earlier session ended while it was sending, its call has no answer. */
async function recover(session: DeliverySession): Promise<void> {
  await session.write((guard) => recoverSend(session.db, guard));
  session.state = "reconciling";
  session.hasOpenSend = true;
}

/**
 * Ends a delivery that may not be sent: it is cancelled or disconnected, or its thread stops. Decides nothing if that is
 * already written, or if another writer has taken the delivery.
 */
export async function stopUnsent(session: DeliverySession): Promise<Decided> {
  const guard = { ...session.guard };
  await untilKnown(session.ctx, () => cancelUnsent(session.db, guard));
  switch (await untilKnown(session.ctx, () => whyStopped(session.db, guard))) {
    case "disconnected": {
      const detail = "the channel was disconnected before anything was sent";
      return { decision: session.fail("channel_disconnected", { detail }) };
    }
    case "cancelled":
      return { decision: session.fail("thread_stopped", { detail: "the post was cancelled" }) };
    case null:
      return { decision: null };
  }
}
