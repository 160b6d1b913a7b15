// DELETE /pins/{id}: pinterest/api-description 5.23.0, read 2026-11-20.
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { unknown } from "../shared/http-call.ts";
import { call } from "./api.ts";
import { isNoPin, readWriteRejection } from "./errors.ts";
import type { Credential } from "./rule.ts";

export async function takeDown(
  { id }: { id: string },
  { credential, io }: ConnectorContext<Credential>,
): Promise<TakenDown> {
  const answer = await call(io, credential.access_token, "DELETE", `/pins/${id}`);
  if (answer.is === "answer" && answer.status === 204) return { is: "taken_down" };
  if (isNoPin(answer)) return { is: "missing", detail: "Pinterest does not know this pin." };
  return readWriteRejection(answer, io.now()) ?? unknown(answer, io.now());
}
