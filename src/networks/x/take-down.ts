// DELETE /2/tweets/:id: the OpenAPI description 2.167; the error page says 204. Both read 2026-11-20. It is billed, $0.010.
import * as z from "zod";
import type { TakenDown } from "../../domain/delivery/outcome.ts";
import type { ConnectorContext } from "../network.ts";
import { readResult, unknown } from "../shared/http-call.ts";
import { call, getProblemKind, readProblems } from "./api.ts";
import { readRejection } from "./errors.ts";
import type { Credential } from "./rule.ts";

const Deleted = z.object({ data: z.object({ deleted: z.boolean() }) });

export async function takeDown(
  { id }: { id: string },
  { credential, io }: ConnectorContext<Credential>,
): Promise<TakenDown> {
  const answer = await call(io, credential.access_token, "DELETE", `/2/tweets/${id}`);
  const deleted = readResult(answer, Deleted)?.data.deleted;
  if (deleted === true || (answer.is === "answer" && answer.status === 204)) return { is: "taken_down" };
  const missing = readProblems(answer).some((problem) => getProblemKind(problem) === "resource-not-found");
  if (deleted === false || missing) return { is: "missing", detail: "X does not know this post." };
  return readRejection(answer, io.now()) ?? unknown(answer, io.now());
}
