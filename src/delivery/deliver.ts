// Delivers one due post to one channel.
//
// ## The pipeline
//
// 1. Claim (claim.ts): take the delivery over from earlier sessions, or end it if it may not be sent.
// 2. Connect (connect.ts): wait for one of the few connections, and ready the credential.
// 3. Prepare (prepare.ts): open the files, and let the network do everything that is not public.
// 4. Announce (announce.ts): commit the send intent. No irrevocable call is made before a row announces it.
// 5. Publish (publish.ts): make the one irrevocable call.
// 6. Record (record.ts): write what the answer means. All calls to the network have ended by then, so the channel's next
//    delivery may begin.
//
// A step returns what the next one needs, or the decision that ends the session early. A call without an answer has an
// unknown outcome, so a delivery that may have been sent is first reconciled (reconcile.ts): the network is asked about it,
// and it goes on to step 3 only where the network recognizes a repeat.
//
// ## Failures
//
// Failures of a network or a file are decisions like others. If another session has written the row, this session stops and
// writes nothing more (`GuardLost`). If the database does not answer, the session ends with `DatabaseAway`, and its result
// waits in the object's own storage.
import { log } from "../adapters/log.ts";
import type { DeliveryDecision } from "../domain/delivery/decide-outcome.ts";
import type { HandedOver, Live } from "../domain/delivery/outcome.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";
import { announce } from "./announce.ts";
import { claim } from "./claim.ts";
import { type ConnectTools, connect } from "./connect.ts";
import { DeliverySession, GuardLost, type SessionTools } from "./delivery-session.ts";
import { prepare } from "./prepare.ts";
import { publish } from "./publish.ts";
import { reconcile } from "./reconcile.ts";
import type { Delivered } from "./record.ts";

/** State that the sessions of one publisher share. */
export interface DeliveryTools extends SessionTools, ConnectTools {}

/**
 * Works one due delivery up to its next state and starts writing that state. `hasNext`: another delivery of its channel
 * follows. Returns null if another writer has decided the delivery. Throws `DatabaseAway` (here, or as `recorded`).
 */
export async function deliver(tools: DeliveryTools, due: DueDelivery, hasNext = false): Promise<Delivered | null> {
  const { recorder } = tools;
  const session = new DeliverySession(tools, due);
  try {
    const decision = await work(tools, session);
    if (decision !== null) return await recorder.record(session, decision, hasNext);
  } catch (error) {
    if (!(error instanceof GuardLost)) {
      recorder.dismiss(session);
      throw error;
    }
    log("warn", "guard_lost", session.logFields());
  }
  recorder.dismiss(session);
  return null;
}

async function work(tools: DeliveryTools, session: DeliverySession): Promise<DeliveryDecision | null> {
  const network = await claim(session);
  if ("decision" in network) return network.decision;
  return connect(tools, session, network, async (connection) => {
    const reconciled = session.maybeSent ? await reconcile(connection) : "resend";
    if (reconciled !== "resend") return reconciled;
    const prepared = await prepare(connection);
    if ("decision" in prepared) return prepared.decision;
    const announced = await announce(connection, prepared);
    if (announced !== "announced") return announced.decision;
    return publish(connection, prepared);
  });
}

/** Ends a delivery that has repeatedly crashed its object, with the outcome known so far. */
export async function giveUp(tools: DeliveryTools, due: DueDelivery): Promise<Delivered> {
  const session = new DeliverySession(tools, due);
  const detail = "our own work on it failed again and again";
  return tools.recorder.record(session, session.fail("internal_error", { detail }));
}

/** Writes the proof that a delivery with an unknown outcome is live, or was handed over. */
export async function proveLive(tools: DeliveryTools, due: DueDelivery, proof: Live | HandedOver): Promise<void> {
  const session = new DeliverySession(tools, due);
  const { recorded } = await tools.recorder.record(session, session.decide(proof));
  await recorded;
}
