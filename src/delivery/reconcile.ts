// In place of a first publish: asks the network about a call that had no answer, or about a post that it is still processing.
// If the answer allows it, the same post is published again under the same publish key.
import { errorText, log } from "../adapters/log.ts";
import type { DeliveryDecision } from "../domain/delivery/decide-outcome.ts";
import type { Reconciliation } from "../domain/delivery/decide-reconciliation.ts";
import { explain } from "../domain/delivery/reason.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";
import type { Connection } from "./connect.ts";
import { endsSession } from "./delivery-session.ts";

/** Decides about a delivery that may have been sent. `resend`: it is published again. */
export async function reconcile(connection: Connection): Promise<DeliveryDecision | "resend"> {
  const { session } = connection;
  return session.decideReconciled(heldBack(session.due.delivery, await ask(connection)));
}

async function ask(connection: Connection): Promise<Reconciliation> {
  const { session } = connection;
  const { reconcile } = connection.network;
  const { publishKey } = session;
  if (reconcile === undefined) return { is: "unknown", detail: "the answer of the network was lost" };
  // A restored database may have lost the rows that held the key by which the network knows the post.
  if (publishKey === null) return { is: "unknown", detail: "nothing is left to ask the network with" };
  try {
    const answer = await connection.withFreshToken((context) => reconcile(publishKey, context));
    if (answer.is === "retryable" && connection.hasNoToken) return { ...answer, isUnasked: true };
    if (connection.refusal === null) return explainSilence(answer);
    const { reason, isOver } = connection.refusal;
    // A network that refuses the question gives no answer, so the post may still be out. While the channel is connected,
    // the next question may be answered.
    return isOver ? { is: "unknown", ...reason, final: true } : explainSilence({ is: "unknown", ...reason });
  } catch (error) {
    if (endsSession(error)) throw error;
    log("error", "reconcile_failed", { ...session.logFields(), error: errorText(error) });
    // The network was not asked, or its answer did not arrive, so its final answer is still to come.
    const detail = "asking the network failed on our side";
    return { is: "retryable", error: "internal_error", detail, isUnasked: true };
  }
}

/** Rewords an answer that leaves open whether the post is out, so that callers learn that the network was asked. */
function explainSilence(answer: Reconciliation): Reconciliation {
  const isSilent = answer.is === "retryable" || (answer.is === "unknown" && answer.isAbsent !== true);
  return isSilent ? { ...answer, ...explain("the network was asked and did not say", answer) } : answer;
}

/**
 * A delivery that was set back with its database may have lost its last publish key, and that key may have published the
 * post. So the answer for an earlier key cannot prove that the post was not published.
 */
function heldBack(delivery: DueDelivery["delivery"], answer: Reconciliation): Reconciliation {
  const isLastWord = answer.is === "void" || (answer.is === "rejected" && delivery.state === "processing");
  if (!isLastWord || !delivery.isHeldBack) return answer;
  return { is: "unknown", ...explain("another try may have followed", answer), final: true };
}
