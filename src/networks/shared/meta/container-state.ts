// What the network says of a container, and what it means when it says nothing.
import * as z from "zod";
import type { Rejected, Retryable, Unauthorized } from "../../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../../network.ts";
import type { Answer } from "../http-call.ts";
import {
  bodyOf,
  type ContainerMeaning,
  type ContainerNetwork,
  harmless,
  namedWait,
  outcome,
  read,
  UNAVAILABLE,
} from "./container.ts";
import type { MetaCredential } from "./login.ts";

export const Id = z.object({ id: z.string().min(1) });
export type Failure = Retryable | Rejected | Unauthorized;

export type ContainerState =
  | { is: "answered"; status: string; problem: string }
  | { is: "unread"; meaning: ContainerMeaning; detail: string; answer: Answer };

/** The state of a container, in the network's own word. */
export async function containerState(
  network: ContainerNetwork,
  id: string,
  context: ConnectorContext<MetaCredential>,
  timeoutMs?: number,
): Promise<ContainerState> {
  const { status, problem } = network.state;
  const answer = await read(network, context, `/${id}`, { fields: `${status},${problem}` }, timeoutMs);
  const state = bodyOf(answer, z.object({ [status]: z.string(), [problem]: z.string().optional() }));
  const word = state?.[status];
  if (word === undefined) return { is: "unread", answer, ...harmless(network, answer, context) };
  return { is: "answered", status: word, problem: state?.[problem] ?? "the network named no reason" };
}

/** A question that could not be answered. */
export function notDone(
  { meaning, detail, answer }: { meaning: ContainerMeaning; detail: string; answer: Answer },
  { io }: ConnectorContext<MetaCredential>,
): Failure {
  const known = outcome(meaning.is === "again" ? UNAVAILABLE : meaning, detail, answer, io.now());
  return known.is === "unknown" ? { is: "retryable", error: "network_unavailable", detail } : known;
}

/**
 * The wait that a network names as it does not answer what only would have been good to know: nothing of the account is
 * asked before it is over. null: it names none, and the post goes on without.
 */
export function askedToWait(
  network: ContainerNetwork,
  answer: Answer,
  context: ConnectorContext<MetaCredential>,
): Retryable | null {
  if (namedWait(answer, context.io.now()) === undefined) return null;
  const failed = notDone({ ...harmless(network, answer, context), answer }, context);
  return failed.is === "retryable" ? failed : null;
}
