// videos.delete, 50 units a call: discovery revision 20260427. The upload scope is not enough: see MANAGE in rule.ts.
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { unknown } from "../shared/http-call.ts";
import { API, call } from "./api.ts";
import { readRejection, says } from "./errors.ts";
import type { Credential } from "./rule.ts";

export async function takeDown({ id }: { id: string }, context: ConnectorContext<Credential>): Promise<TakenDown> {
  const answer = await call(context, `${API}/videos?${new URLSearchParams({ id })}`, { method: "DELETE" });
  if (answer.is === "answer" && answer.status === 204) return { is: "taken_down" };
  if (says(answer, "videoNotFound")) return { is: "missing", detail: "YouTube does not know this video." };
  return readRejection(answer, context.io.now()) ?? unknown(answer, context.io.now());
}
