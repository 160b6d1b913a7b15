import { isMoving, MOVING_RETRY_S } from "../domain/moving.ts";
import { Refusal, refuse } from "../domain/refusal.ts";
import { errorText, log } from "./log.ts";

/** A refusal as it is; anything else as a bug, which the log explains and the caller does not see. */
export function asRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof Refusal) return error;
  if (isMoving(error)) return refuse("workspace_moving", { headers: { "Retry-After": String(MOVING_RETRY_S) } });
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
