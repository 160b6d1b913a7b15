import { dailyLimitRefusal } from "../domain/daily-limit.ts";
import { databaseRefusal, isTooBig } from "../domain/database-fault.ts";
import { findRefusal, type Refusal, refuse } from "../domain/refusal.ts";
import { errorText, log } from "./log.ts";
import { objectRefusal } from "./object-call.ts";

/**
 * Converts an error to a refusal. A refusal stays unchanged. A fault of the database or the platform gets its own code. Any
 * other error is a bug and becomes `internal_error`. The log has details that the caller does not see.
 */
export function asRefusal(error: unknown, requestId: string): Refusal {
  const refusal = findRefusal(error);
  if (refusal !== null) return refusal;
  if (isTooBig(error)) return refuse("too_large_to_store");
  const now = Date.now();
  const unavailable = objectRefusal(error) ?? databaseRefusal(error, now) ?? dailyLimitRefusal(error, now);
  if (unavailable !== null) {
    if (unavailable.code !== "workspace_moving") {
      log("error", unavailable.code, { request: requestId, error: errorText(error) });
    }
    return unavailable;
  }
  log("error", "unhandled", { request: requestId, error: errorText(error) });
  return refuse("internal_error");
}

/** Renders every failure as JSON. */
export function refusalResponse(error: unknown, requestId: string): Response {
  const refusal = asRefusal(error, requestId);
  const response = Response.json(refusal.body(requestId), { status: refusal.status });
  for (const [name, value] of Object.entries(refusal.detail.headers ?? {})) response.headers.set(name, value);
  if (refusal.status === 401 && !response.headers.has("WWW-Authenticate")) {
    response.headers.set("WWW-Authenticate", "Bearer");
  }
  return response;
}
