// The answer at every address while a setting is invalid. This code cannot use any settings.
import { answerHeaders } from "../adapters/answer-headers.ts";
import { log } from "../adapters/log.ts";
import { refusalResponse } from "../adapters/refusal-response.ts";
import { makeId } from "../domain/ids.ts";
import { refuse } from "../domain/refusal.ts";

/** `reason` names the setting without its value. The operator reads it in the log, and with `crier doctor`. */
export function misconfigured(request: Request, reason: string): Response {
  const now = Date.now();
  const requestId = makeId("req", now, (length) => crypto.getRandomValues(new Uint8Array(length)));
  log("error", "service_misconfigured", { request: requestId, error: reason });
  const response = refusalResponse(refuse("service_misconfigured", { message: `${reason}.` }), requestId);
  const headers = { ...answerHeaders(request.url, requestId, now), "Cache-Control": "no-store" };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
