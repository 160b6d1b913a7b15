// A client's authorization request (RFC 6749 4.1.1 with PKCE, RFC 8707): its content, and where its answer goes.

import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { makeId } from "../../domain/ids.ts";
import { OAUTH_REQUEST_LENGTH_MAX } from "../../domain/limits.ts";
import {
  getResourceUrl,
  isChallenge,
  isRegistered,
  isResource,
  makeOAuthToken,
  type OAuthCode,
  OAuthRefusal,
  SCOPE,
} from "../../domain/oauth.ts";
import { insertGrant } from "../../store/oauth/grants.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { findClient, type OAuthClient } from "./clients.ts";
import { endConnections } from "./end-connections.ts";

/** A valid request that a user can be asked about. */
export interface Authorization {
  client: OAuthClient;
  redirectUri: string;
  state: string | null;
  codeChallenge: string;
}
export type Asked =
  | { is: "authorization"; authorization: Authorization }
  /** The client gets the error at its own address, `to`, after the person who was asked chooses to go there. */
  | { is: "refused"; client: OAuthClient; redirectUri: string; to: string; message: string }
  /** No redirect is made: the client or its redirect address is not certain. */
  | { is: "unanswerable"; message: string };

/** Judges a request from its query. */
export async function readAuthorization(ctx: Context, search: string): Promise<Asked> {
  const unanswerable = (message: string): Asked => ({ is: "unanswerable", message });
  if (search.length > OAUTH_REQUEST_LENGTH_MAX) return unanswerable("The application's request is too long.");
  const query = new URLSearchParams(search);
  const only = (name: string) => (query.getAll(name).length === 1 ? query.get(name) : null);
  const clientId = only("client_id");
  const redirectUri = only("redirect_uri");
  if (clientId === null || redirectUri === null) {
    return unanswerable("The application does not say once who it is and where the answer goes.");
  }
  let client: OAuthClient | null;
  try {
    client = await findClient(ctx, clientId);
  } catch (error) {
    if (error instanceof OAuthRefusal) return unanswerable(error.message);
    throw error;
  }
  if (client === null) {
    return unanswerable("The application is not known here any more. Remove the connection there and add it again.");
  }
  if (!isRegistered(redirectUri, client.redirectUris)) {
    return unanswerable("The address that the answer would go to is not one of the application's.");
  }

  const state = only("state");
  // Anybody can register a client, so a redirect that the user has not agreed to would be an open redirect (RFC 9700
  // 4.11.2).
  const refused = (code: OAuthCode, description: string): Asked => ({
    is: "refused",
    client,
    redirectUri,
    message: description,
    to: answerTo(ctx, { redirectUri, state }, { error: code, error_description: description }),
  });
  if ([...query.keys()].some((name) => name !== "resource" && query.getAll(name).length > 1)) {
    return refused("invalid_request", "A parameter is sent more than once.");
  }
  if (query.get("response_type") !== "code") {
    return refused("unsupported_response_type", "The only response type is `code`.");
  }
  const codeChallenge = query.get("code_challenge") ?? "";
  if (query.get("code_challenge_method") !== "S256" || !isChallenge(codeChallenge)) {
    return refused("invalid_request", "PKCE is required: a `code_challenge` of the method S256.");
  }
  if (!query.getAll("resource").every((resource) => isResource(resource, ctx.settings.baseUrl))) {
    return refused("invalid_target", `The only valid resource is ${getResourceUrl(ctx.settings.baseUrl)}.`);
  }
  return { is: "authorization", authorization: { client, redirectUri, state, codeChallenge } };
}

/** Builds the client's own address with an answer to its request (RFC 9207 names the issuer of the answer). */
function answerTo(
  ctx: Context,
  { redirectUri, state }: Pick<Authorization, "redirectUri" | "state">,
  answer: Record<string, string>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set("state", state);
  url.searchParams.set("iss", ctx.settings.baseUrl);
  return url.href;
}

/** The address that a user returns to after refusing. */
export function refuseClient(ctx: Context, authorization: Authorization): string {
  return answerTo(ctx, authorization, { error: "access_denied", error_description: "The user refused." });
}

/**
 * Grants a client app access to one workspace of a user. Returns the address to return to; null if they are not a
 * member of it.
 */
export async function letIn(
  ctx: Context,
  authorization: Authorization,
  userId: string,
  workspaceId: string,
): Promise<string | null> {
  const { client, redirectUri, codeChallenge } = authorization;
  const code = makeOAuthToken("code", ctx.entropy);
  const grant = {
    workspaceId,
    id: makeId("grant", ctx.now(), ctx.entropy),
    userId,
    clientId: client.id,
    clientName: client.name,
    clientUrl: client.url,
    redirectUri,
    scopes: [SCOPE],
    resource: getResourceUrl(ctx.settings.baseUrl),
    codeChallenge,
  };
  // A registered client is one installation, which asks again. A client with a metadata document may be many
  // installations, and none ends the grant of another.
  const entry = makeAccountEntry(ctx, userId, "application.connected");
  const replaces = client.describedBy === null;
  if (!(await insertGrant(ctx.accounts, grant, await sha256Hex(code), { replaces, entry }))) return null;
  await tellHomes(ctx);
  endConnections(ctx);
  return answerTo(ctx, authorization, { code });
}
