// Step 5. The one irrevocable call. If the network refuses the access token, nothing was published: the send intent is
// withdrawn, the token renewed, and the call announced and made once more.
import { errorText, log } from "../adapters/log.ts";
import type { DeliveryDecision } from "../domain/delivery/decide-outcome.ts";
import type { Outcome } from "../domain/delivery/outcome.ts";
import { describeReason } from "../domain/delivery/reason.ts";
import { announce, withdraw } from "./announce.ts";
import type { Connection } from "./connect.ts";
import { endsSession } from "./delivery-session.ts";
import type { Prepared } from "./prepare.ts";

/** Publishes an announced post, and decides from the network's answer. */
export async function publish(connection: Connection, prepared: Prepared): Promise<DeliveryDecision | null> {
  const { session } = connection;
  const first = await call(connection, prepared);
  if (first.is !== "unauthorized") return session.decide(first);
  await withdraw(connection, "unauthorized", describeReason(first));
  const failure = await connection.renew();
  if (failure !== null) return session.decide(failure);
  const announced = await announce(connection, prepared);
  if (announced !== "announced") return announced.decision;
  const second = await call(connection, prepared);
  return session.decide(second.is === "unauthorized" ? connection.revoked(second) : second);
}

async function call({ session, network, context }: Connection, prepared: Prepared): Promise<Outcome> {
  try {
    return await network.publish(prepared.publication, prepared.publishKey, context);
  } catch (error) {
    if (endsSession(error)) throw error;
    // The call may have left before this error: only the network knows.
    log("error", "publish_failed", { ...session.logFields(), error: errorText(error) });
    return { is: "unknown", detail: "the call broke off" };
  }
}
