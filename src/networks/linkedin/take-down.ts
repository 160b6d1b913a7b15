// DELETE /rest/posts/{urn} returns 204, even for a post that was already deleted (posts API, read 2026-11-20).
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { unknown } from "../shared/http-call.ts";
import { callFor } from "./api.ts";
import { isNoPost, readRejection } from "./errors.ts";
import type { Credential } from "./rule.ts";

export async function takeDown({ id }: { id: string }, context: ConnectorContext<Credential>): Promise<TakenDown> {
  const detail = "The network never returned the post's id.";
  if (id === "") return { is: "rejected", error: "outcome_unknown", detail };
  const answer = await callFor(context, "DELETE", `/rest/posts/${encodeURIComponent(id)}`);
  // A post that the token may not touch gets 403; 404 and 410 mean that it is gone.
  if ((answer.is === "answer" && answer.status === 204) || isNoPost(answer)) return { is: "taken_down" };
  return readRejection(answer, context) ?? unknown(answer, context.io.now());
}
