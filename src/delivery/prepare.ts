// Step 3. Everything that is not public: opens the files, and lets the network prepare the post. A publish key is stored
// before it is used, so that a later attempt continues with it.
import { errorText, log } from "../adapters/log.ts";
import { counted } from "../adapters/outbound.ts";
import type { PrepareOutcome } from "../domain/delivery/outcome.ts";
import { HostBusy } from "../domain/host-busy.ts";
import type { Json } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { MediaUnavailable } from "../networks/media-file.ts";
import type { ConnectorContext, Publication } from "../networks/network.ts";
import { savePublishKey } from "../store/deliveries/send-intent.ts";
import type { Connection } from "./connect.ts";
import { type Decided, type DeliverySession, endsSession } from "./delivery-session.ts";
import { buildPublication, unavailable } from "./publication.ts";

/**
 * How long one session prepares a post. The platform ends an alarm after 15 minutes
 * (developers.cloudflare.com/durable-objects/api/alarms, from memory), and a large file may take longer. The next session
 * continues at the last checkpoint.
 */
const PREPARE_MAX_MS = 5 * MINUTE_MS;

/** A session has prepared for long enough, and its checkpoint is stored. */
class Paused extends Error {
  override name = "Paused";
}

/** A post that is ready for the irrevocable call. */
export interface Prepared {
  publication: Publication<Json, Json>;
  publishKey: Json;
}

/** Prepares a post. A post that is sent again has been prepared before: it keeps its publish key. */
export async function prepare(connection: Connection): Promise<Prepared | Decided> {
  const { session, network } = connection;
  const publication = await buildPublication(session.ctx, network, session.due, session.threadPosition.position);
  if ("is" in publication) return { decision: session.decide(publication) };
  if (session.maybeSent) return { publication, publishKey: session.publishKey };
  const outcome = await prepareOnNetwork(connection, publication);
  if (outcome.is !== "prepared") return { decision: session.decide(outcome) };
  return { publication, publishKey: outcome.publishKey };
}

/** Calls to hosts that users named are rate limited, so the post may have to wait for them. */
async function prepareOnNetwork(
  connection: Connection,
  publication: Publication<Json, Json>,
): Promise<Exclude<PrepareOutcome, { is: "unauthorized" }>> {
  const { session, network } = connection;
  const { publishKey } = session;
  const startedAt = session.now();
  const save = async (newKey: Json) => {
    await storePublishKey(session, newKey);
    if (session.now() - startedAt >= PREPARE_MAX_MS) throw new Paused();
  };
  try {
    return await connection.withFreshToken((context) =>
      network.prepare(publication, countHosts(session, context), publishKey, save),
    );
  } catch (error) {
    if (endsSession(error)) throw error;
    if (error instanceof Paused) {
      const detail = "a large file is being uploaded";
      return { is: "retryable", error: "network_unavailable", detail, retryAt: session.now() };
    }
    if (error instanceof MediaUnavailable) return unavailable(error);
    if (error instanceof HostBusy) {
      const retryAt = session.now() + error.waitS * 1000;
      return { is: "retryable", error: "network_unavailable", detail: error.message, retryAt };
    }
    log("error", "prepare_failed", { ...session.logFields(), error: errorText(error) });
    return { is: "retryable", error: "internal_error", detail: "preparing the post failed on our side" };
  }
}

function countHosts({ ctx, due }: DeliverySession, context: ConnectorContext<Json>): ConnectorContext<Json> {
  const fetchPublic = counted(context.io.fetchPublic, (url) => ctx.takeHost(due.delivery.workspaceId, url));
  return { ...context, io: { ...context.io, fetchPublic } };
}

/** Makes a publish key durable. Throws `GuardLost`. */
export async function storePublishKey(session: DeliverySession, publishKey: Json): Promise<void> {
  session.publishKey = publishKey;
  const sealed = await session.seal(publishKey);
  await session.write((guard) => savePublishKey(session.db, guard, sealed));
  session.state = "staged";
}
