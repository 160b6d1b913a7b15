// `/mcp` in the Worker: authenticates and authorizes the caller, then forwards the call to the connection of its credential.
import {
  isJsonContentType,
  localhostAllowedHostnames,
  originValidationResponse,
  validateHostHeader,
} from "@modelcontextprotocol/server";
import { answerHeaders } from "../adapters/answer-headers.ts";
import { refusalResponse } from "../adapters/refusal-response.ts";
import { compose } from "../compose.ts";
import type { Context } from "../context.ts";
import { getConnectionName, looksLikeWorkspaceKey, makeId } from "../domain/ids.ts";
import { BODY_BYTES_MAX } from "../domain/limits.ts";
import { challengeText } from "../domain/oauth.ts";
import { refuse } from "../domain/refusal.ts";
import { type Env, getObject } from "../env.ts";
import { identify, parseBearer } from "../operations/identify.ts";
import { openAccessToken } from "../operations/oauth/open-access-token.ts";
import { CALL_HEADER, type CallHeader, type ConnectionCaller } from "./call-header.ts";

export const MCP_PATH = "/mcp";

/** Answers a request to `MCP_PATH`. */
export async function serveMcp(request: Request, env: Env, waitUntil: (work: Promise<unknown>) => void) {
  const address = request.headers.get("cf-connecting-ip");
  const ctx = compose(env, waitUntil, { address });
  const requestId = makeId("req", ctx.now(), ctx.entropy);
  const answer = await handleRequest(request, env, ctx, { requestId, address }).catch((error) =>
    refusalResponse(error, requestId),
  );
  const headers = new Headers(answer.headers);
  const always = answerHeaders(ctx.settings.baseUrl, requestId, ctx.now());
  for (const [name, value] of Object.entries(always)) headers.set(name, value);
  headers.set("Cache-Control", "no-store");
  return new Response(answer.body, { status: answer.status, headers });
}

async function handleRequest(
  request: Request,
  env: Env,
  ctx: Context,
  call: Omit<CallHeader, "caller">,
): Promise<Response> {
  const stranger = refuseStranger(request, ctx.settings.baseUrl);
  if (stranger !== undefined) return stranger;
  const caller = await identifyCaller(ctx, request.headers.get("authorization"));
  if (request.method !== "POST" && request.method !== "DELETE") {
    // An open stream would keep the connection in memory, and billed, without benefit: changes are sent with the next
    // answer.
    throw refuse("method_not_allowed", { headers: { Allow: "POST, DELETE" } });
  }
  if (request.method === "POST") {
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return rpcError(415, -32700, "The body must be JSON, sent with `Content-Type: application/json`.");
    }
    if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) throw refuse("body_too_large");
  }
  const headers = new Headers(request.headers);
  for (const name of ["authorization", "cookie"]) headers.delete(name);
  headers.set("host", new URL(request.url).host);
  headers.set(CALL_HEADER, JSON.stringify({ ...call, caller } satisfies CallHeader));
  // Never retried: a tool call may have been carried out even if its answer is lost.
  return getObject(env, env.MCP, getConnectionName(caller)).fetch(new Request(request, { headers }));
}

/** A page of another site, or a host name rebound to this address, gets 403 (DNS rebinding). */
function refuseStranger(request: Request, baseUrl: string): Response | undefined {
  const { hostname } = new URL(baseUrl);
  const local = localhostAllowedHostnames();
  const allowedHosts = local.includes(hostname) ? local : [hostname];
  const host = validateHostHeader(new URL(request.url).host, allowedHosts);
  return host.ok ? originValidationResponse(request, allowedHosts) : rpcError(403, -32000, host.message);
}

async function identifyCaller(ctx: Context, authorization: string | null): Promise<ConnectionCaller> {
  const token = parseBearer(authorization) || null;
  if (token !== null && looksLikeWorkspaceKey(token)) {
    const caller = await identify(ctx, { auth: "key_or_session" }, { token, workspaces: [] });
    if (caller.kind !== "key") throw refuse("unauthorized");
    return caller;
  }
  const access = token === null ? null : await openAccessToken(ctx, token);
  if (access === null) throw refuseUnknown(ctx.settings.baseUrl, token !== null);
  const { grantId, userId, name, workspaceId, role } = access;
  return { kind: "grant", grantId, userId, name, workspaceId, role };
}

/** A 401 that tells a user which key to send, and a client where to request authorization. */
function refuseUnknown(baseUrl: string, tokenSent: boolean) {
  const headers = { "WWW-Authenticate": challengeText(baseUrl, tokenSent) };
  return tokenSent
    ? refuse("unauthorized", {
        message: "The credential is neither a valid workspace key nor a valid access token.",
        headers,
      })
    : refuse("unauthorized", { hint: "Send `Authorization: Bearer <workspace key or access token>`.", headers });
}

/** A transport error in JSON-RPC form. */
export function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
