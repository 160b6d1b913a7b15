// Calls to the API v5: pinterest/api-description 5.23.0, read 2026-11-20.
import type { NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";

const API = "https://api.pinterest.com/v5";

/** Calls the API with a bearer token; a body is sent as JSON. */
export function call(
  io: NetworkIO,
  accessToken: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: object,
) {
  const headers: Record<string, string> = { authorization: `Bearer ${accessToken}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  return ask(
    (signal) =>
      io.fetch(`${API}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      }),
    CALL_TIMEOUT_MS,
  );
}

/** Calls the token endpoint as the app. */
export function callToken(io: NetworkIO, fields: Record<string, string>): Promise<Answer> {
  const { clientId, clientSecret } = io.app ?? { clientId: "", clientSecret: "" };
  const headers = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
  return ask(
    (signal) => io.fetch(`${API}/oauth/token`, { method: "POST", headers, body: new URLSearchParams(fields), signal }),
    CALL_TIMEOUT_MS,
  );
}
