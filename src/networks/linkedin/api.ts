// Calls to the versioned API: learn.microsoft.com/en-us/linkedin/marketing, version 202609, as quoted by dated notes and
// open-source publishers read 2026-11-20.
import type { ConnectorContext, NetworkIO } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import type { Credential } from "./rule.ts";
import { versionFor } from "./version.ts";

const API = "https://api.linkedin.com";

type Method = "GET" | "POST" | "DELETE";
interface Call {
  body?: object;
  /** Whether the read is a search, which LinkedIn requires a header for. */
  finder?: boolean;
  /** Whether the call changes only the fields that its body names. */
  isPartial?: true;
}

/** Calls the API with a bearer token. Paths under `/rest/` are versioned. A body is sent as JSON. */
export function call(io: NetworkIO, accessToken: string, method: Method, path: string, options: Call = {}) {
  const headers: Record<string, string> = { authorization: `Bearer ${accessToken}` };
  if (path.startsWith("/rest/")) {
    headers["linkedin-version"] = versionFor(io);
    headers["x-restli-protocol-version"] = "2.0.0";
  }
  if (options.finder) headers["x-restli-method"] = "FINDER";
  if (options.isPartial) headers["x-restli-method"] = "PARTIAL_UPDATE";
  if (options.body !== undefined) headers["content-type"] = "application/json";
  const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  return ask((signal) => io.fetch(`${API}${path}`, { method, headers, ...body, signal }), CALL_TIMEOUT_MS);
}

/** Calls the API for a channel. */
export const callFor = (
  { credential, io }: ConnectorContext<Credential>,
  method: Method,
  path: string,
  options?: Call,
) => call(io, credential.access_token, method, path, options);

/** Calls the token endpoint as the app. */
export function callToken(io: Pick<NetworkIO, "app" | "fetch">, fields: Record<string, string>): Promise<Answer> {
  const { clientId, clientSecret } = io.app ?? { clientId: "", clientSecret: "" };
  const body = new URLSearchParams({ ...fields, client_id: clientId, client_secret: clientSecret });
  const url = "https://www.linkedin.com/oauth/v2/accessToken";
  return ask((signal) => io.fetch(url, { method: "POST", body, signal }), CALL_TIMEOUT_MS);
}
