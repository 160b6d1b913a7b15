import type { Context as HonoContext } from "hono";
import { refusalResponse } from "../adapters/refusal-response.ts";

/** Renders a failure as the answer to a request, with the headers that are already set. */
export function renderRefusal(c: HonoContext, error: unknown, requestId: string): Response {
  const response = refusalResponse(error, requestId);
  for (const [name, value] of c.res.headers) response.headers.append(name, value);
  return response;
}
