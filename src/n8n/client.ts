// The client for nodes: its calls use n8n's own requests, with n8n's proxy and the credential's key.
import type { FunctionsBase, IHttpRequestOptions } from "n8n-workflow";
import { type Client, createClient } from "../client/client.ts";
import { NoAnswer } from "../client/errors.ts";
import { isObject } from "../domain/json.ts";

/** The type of the credential. */
const CREDENTIAL = "crierApi";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
/** Statuses whose responses have no body. */
const NO_BODY = [204, 205, 304];

/** A client of the service in the credential; `signal` aborts its calls. */
export async function openClient(context: FunctionsBase, signal?: AbortSignal): Promise<Client> {
  const { url } = await context.getCredentials<{ url: string }>(CREDENTIAL);
  return createClient({ url, key: null, signal, fetch: (address, init) => request(context, address, init) });
}

async function request(context: FunctionsBase, { href }: URL, init: RequestInit): Promise<Response> {
  const answer = await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
    ...REQUEST,
    url: href,
    method: METHODS.find((method) => method === init.method) ?? "GET",
    headers: Object.fromEntries(new Headers(init.headers)),
    body: typeof init.body === "string" ? init.body : undefined,
    abortSignal: init.signal ?? undefined,
  });
  return toResponse(answer);
}

/** What all requests through n8n have in common: the answer is returned as it is, whatever its status. */
export const REQUEST = {
  encoding: "text",
  json: false,
  returnFullResponse: true,
  ignoreHttpStatusErrors: true,
  disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

/** The response of a request that n8n made. */
export function toResponse(answer: unknown): Response {
  const { statusCode, headers, body } = isObject(answer) ? answer : {};
  if (typeof statusCode !== "number") throw new Error("n8n gave no answer");
  // Responses of fetch have no other status.
  if (!(statusCode >= 200 && statusCode <= 599)) {
    throw new NoAnswer(`The service answered with the status ${statusCode}.`, { status: statusCode, passes: false });
  }
  // A header that fetch would reject must not turn an answer into an error.
  const texts = Object.entries(isObject(headers) ? headers : {})
    .map(([name, value]) => [name, String(value)])
    .filter(([name = "", value = ""]) => /^[\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value));
  const text = NO_BODY.includes(statusCode) || typeof body !== "string" ? null : body;
  return new Response(text, { status: statusCode, headers: Object.fromEntries(texts) });
}
