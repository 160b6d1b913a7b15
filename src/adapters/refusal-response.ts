import { Refusal, refuse } from "../domain/refusal.ts";
import { errorText, log } from "./log.ts";

/** Every failure as JSON: a refusal as it is, anything else as a bug that the log explains and the caller does not see. */
export function refusalResponse(error: unknown, requestId: string): Response {
  const refusal = error instanceof Refusal ? error : refuse("internal_error");
  if (!(error instanceof Refusal)) log("error", "unhandled", { request: requestId, error: errorText(error) });
  const response = Response.json(refusal.body(requestId), { status: refusal.status });
  for (const [name, value] of Object.entries(refusal.detail.headers ?? {})) response.headers.set(name, value);
  if (refusal.status === 401 && !response.headers.has("WWW-Authenticate")) {
    response.headers.set("WWW-Authenticate", "Bearer");
  }
  return response;
}
