import { databaseRefusal } from "../domain/database-fault.ts";
import { Refusal, refuse } from "../domain/refusal.ts";
import { errorText, log } from "./log.ts";

/** A refusal as it is; a fault of the database by its own code; anything else as a bug. The log explains what the caller does not see. */
export function asRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof Refusal) return error;
  const unavailable = databaseRefusal(error, Date.now());
  if (unavailable?.code === "database_unavailable") {
    log("error", "database_unavailable", { request: requestId, error: errorText(error) });
  }
  if (unavailable !== null) return unavailable;
  log("error", "unhandled", { request: requestId, error: errorText(error) });
  return refuse("internal_error");
}

/** Every failure as JSON. */
export function refusalResponse(error: unknown, requestId: string): Response {
  const refusal = asRefusal(error, requestId);
  const response = Response.json(refusal.body(requestId), { status: refusal.status });
  for (const [name, value] of Object.entries(refusal.detail.headers ?? {})) response.headers.set(name, value);
  if (refusal.status === 401 && !response.headers.has("WWW-Authenticate")) {
    response.headers.set("WWW-Authenticate", "Bearer");
  }
  return response;
}
