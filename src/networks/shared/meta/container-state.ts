// Reads the state of a container, and classifies answers without one.
import * as z from "zod";
import type { Reason, Rejected, Retryable, Unauthorized } from "../../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../../network.ts";
import type { Answer } from "../http-call.ts";
import {
  type ContainerMeaning,
  type ContainerNetwork,
  harmless,
  namedWait,
  outcome,
  read,
  readBody,
  UNAVAILABLE,
} from "./container.ts";
import type { MetaCredential } from "./login.ts";

export const Id = z.object({ id: z.string().min(1) });
export type Failure = Retryable | Rejected | Unauthorized;

export type ContainerState =
  | { is: "answered"; status: string; reason: Reason }
  | { is: "unread"; meaning: ContainerMeaning; reason: Reason; answer: Answer };

/** The state of a container, in the network's own word. */
export async function containerState(
  network: ContainerNetwork,
  id: string,
  context: ConnectorContext<MetaCredential>,
  timeoutMs?: number,
): Promise<ContainerState> {
  const { status, problem } = network.state;
  const answer = await read(network, context, `/${id}`, { fields: `${status},${problem}` }, timeoutMs);
  const state = readBody(answer, z.object({ [status]: z.string(), [problem]: z.string().optional() }));
  const word = state?.[status];
  if (word === undefined) return { is: "unread", answer, ...harmless(network, answer, context) };
  const networkMessage = state?.[problem];
  const reason = networkMessage === undefined ? { detail: "the network gave no reason" } : { networkMessage };
  return { is: "answered", status: word, reason };
}

/** A question that could not be answered. */
export function notDone(
  { meaning, reason, answer }: { meaning: ContainerMeaning; reason: Reason; answer: Answer },
  { io }: ConnectorContext<MetaCredential>,
): Failure {
  const failedOutcome = outcome(meaning.is === "again" ? UNAVAILABLE : meaning, reason, answer, io.now());
  return failedOutcome.is === "unknown" ? { is: "retryable", error: "network_unavailable", ...reason } : failedOutcome;
}

/**
 * The wait that a network names when it does not answer an optional question: nothing about the account is asked before it is
 * over. null if it names none, and the post continues without the answer.
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
