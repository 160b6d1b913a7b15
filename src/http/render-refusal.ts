import type { Context as HonoContext } from "hono";
import { errorText, log } from "../adapters/log.ts";
import { Refusal, refuse } from "../domain/refusal.ts";

/** Every failure as JSON: a refusal as it is, anything else as a bug that the log explains and the caller does not see. */
export function renderRefusal(c: HonoContext, error: unknown, requestId: string): Response {
  const refusal = error instanceof Refusal ? error : refuse("internal_error");
  if (!(error instanceof Refusal)) log("error", "unhandled", { request: requestId, error: errorText(error) });
  const response = Response.json(refusal.body(requestId), { status: refusal.status });
  for (const [name, value] of Object.entries(refusal.detail.headers ?? {})) response.headers.set(name, value);
  if (refusal.status === 401) response.headers.set("WWW-Authenticate", "Bearer");
  for (const [name, value] of c.res.headers) response.headers.append(name, value);
  return response;
}
