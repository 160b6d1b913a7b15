// Calls of Examplenet's API, and the schema of a post in its answers.
import * as z from "zod";
import type { ConnectorContext } from "../../../../src/networks/network.ts";
import { ask, CALL_TIMEOUT_MS } from "../../../../src/networks/shared/http-call.ts";
import type { Credential } from "./rule.ts";

const API = "https://api.example.net/v1";

export const Post = z.object({ id: z.string(), url: z.string() });

export function call(
  { credential, io }: ConnectorContext<Credential>,
  method: "GET" | "PUT",
  path: string,
  body?: object,
) {
  const headers = { authorization: `Bearer ${credential.token}`, "content-type": "application/json" };
  const init = { method, headers, body: body && JSON.stringify(body) };
  return ask((signal) => io.fetch(`${API}${path}`, { ...init, signal }), CALL_TIMEOUT_MS);
}
