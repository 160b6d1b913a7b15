// Clients of the authorization server: it reads their description at the address that is their id, and checks that a
// request is signed with one of the keys listed there (atproto.com/specs/oauth; bluesky-social/atproto
// packages/oauth/oauth-provider, client/client.ts; read 2026-11-27).
import { decodePart, OAuthProblem, readJwt } from "./proofs.ts";
import { type JsonObject, parseObject, toObject, toText } from "./xrpc.ts";

/** An assertion works for a minute. */
const ASSERTION_AGE_MAX_S = 60;

/** Names under `.test` lead nowhere (RFC 6761), so a client there is believed without its description. */
const isUnreachable = (clientId: string) => new URL(clientId).hostname.endsWith(".test");

async function readDescription(clientId: string): Promise<JsonObject | null> {
  if (isUnreachable(clientId)) return null;
  const { hostname, port, searchParams } = new URL(clientId);
  // A client on a person's own machine describes itself in its address, and has no key.
  if (hostname === "localhost" && port === "") {
    const [redirect = "http://127.0.0.1/", scope = "atproto"] = [
      searchParams.get("redirect_uri") ?? undefined,
      searchParams.get("scope") ?? undefined,
    ];
    return { client_id: clientId, redirect_uris: [redirect], scope, token_endpoint_auth_method: "none" };
  }
  const answer = await fetch(clientId, { redirect: "manual" }).catch(() => null);
  const isJson = answer?.status === 200 && answer.headers.get("content-type")?.startsWith("application/json") === true;
  const description = parseObject(isJson ? await answer.text() : "{}");
  if (description.client_id !== clientId)
    throw new OAuthProblem("invalid_client_metadata", `Failed to fetch client metadata for "${clientId}"`);
  return description;
}

/** A client that has identified itself. */
export interface KnownClient {
  id: string;
  /** The id of the key that it signed with. */
  key: string;
  /** null: its description cannot be read, so every request is allowed. */
  description: JsonObject | null;
}

/** Identifies the sender of a form. `used`: the ids of assertions that were used. */
export async function identifyClient(
  fields: Record<string, string>,
  issuer: string,
  used: Set<string>,
): Promise<KnownClient> {
  const { client_id: id = "", client_assertion: assertion = "" } = fields;
  if (!URL.canParse(id)) throw new OAuthProblem("invalid_client", "Client credentials missing");
  const description = await readDescription(id);
  const keys = toObject(description?.jwks).keys;
  const findKey = ({ kid }: JsonObject) =>
    Array.isArray(keys) ? keys.map((key) => toObject(key)).find((key) => key.kid === kid) : undefined;
  const refuse = (message: string) => new OAuthProblem("invalid_client", message);
  if (description?.token_endpoint_auth_method === "none") return { id, key: "", description };
  const jwt = description === null ? decodeUnchecked(assertion) : readJwt(assertion, findKey);
  if (jwt === null) throw refuse('Validation of "client_assertion" failed: signature verification failed');
  const { iss, sub, aud, iat, jti } = jwt.claims;
  if (iss !== id || sub !== id || aud !== issuer)
    throw refuse('Validation of "client_assertion" failed: unexpected claim value');
  if (!(Math.abs(Date.now() / 1000 - Number(iat)) <= ASSERTION_AGE_MAX_S))
    throw refuse('Validation of "client_assertion" failed: "iat" claim timestamp check failed');
  if (toText(jti) === "" || used.has(toText(jti))) throw refuse("private_key_jwt jti reused");
  used.add(toText(jti));
  return { id, key: toText(jwt.header.kid), description };
}

function decodeUnchecked(assertion: string): { header: JsonObject; claims: JsonObject } | null {
  const [head = "", body = ""] = assertion.split(".");
  try {
    return { header: decodePart(head), claims: decodePart(body) };
  } catch {
    return null;
  }
}

/** Refuses what the client's description does not declare. */
export function checkDeclared({ description }: KnownClient, redirectUri: string, scopes: string[]): void {
  if (description === null) return;
  const { redirect_uris: redirects, scope } = description;
  if (!Array.isArray(redirects) || !redirects.includes(redirectUri))
    throw new OAuthProblem("invalid_request", `Invalid redirect_uri ${redirectUri}`);
  const declared = toText(scope).split(" ");
  const undeclared = scopes.find((name) => !declared.includes(name));
  if (undeclared !== undefined)
    throw new OAuthProblem("invalid_scope", `Scope "${undeclared}" is not declared in the client metadata`);
}
