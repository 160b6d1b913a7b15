// Taking down a post of a network with containers.
import * as z from "zod";
import type { TakenDown } from "../../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../../network.ts";
import { ask, CALL_TIMEOUT_MS } from "../http-call.ts";
import {
  type ContainerKey,
  type ContainerNetwork,
  outcome,
  published,
  readBody,
  readError,
  UNAVAILABLE,
} from "./container.ts";
import { knownId } from "./container-publish.ts";
import type { MetaCredential } from "./login.ts";

export async function takePostDown(
  network: ContainerNetwork,
  { id, publishKey }: { id: string; publishKey: ContainerKey | null },
  context: ConnectorContext<MetaCredential>,
): Promise<TakenDown> {
  const postId = await knownId(network, { id, publishKey }, context);
  if (postId === null) return { is: "unknown", detail: "The network never returned the post's id." };
  if (typeof postId === "object") return postId;
  const headers = { authorization: `Bearer ${context.credential.access_token}` };
  const url = `${network.api(context.io, context.credential)}/${postId}`;
  const answer = await ask((signal) => context.io.fetch(url, { method: "DELETE", headers, signal }), CALL_TIMEOUT_MS);
  if (readBody(answer, z.object({ success: z.literal(true) })) !== undefined) return { is: "taken_down" };
  const error = readError(answer, context);
  // The same answer for a post that is gone, and for one that the token may not delete.
  if (error?.code === 100 && error.subcode === 33) return { is: "missing", networkMessage: error.message };
  const { meaning, reason } = published(network, answer, context);
  return outcome(meaning.is === "again" ? UNAVAILABLE : meaning, reason, answer, context.io.now());
}
