// The server at which an account's owner signs in. The account's own server names it; for accounts on Bluesky's servers it
// is the entryway (atproto.com/specs/oauth, read 2026-11-27).
import * as z from "zod";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import type { GrantRefused, NetworkIO } from "../network.ts";
import { type Answer, ask, readResult, unavailable } from "../shared/http-call.ts";
import { APPVIEW, ENTRYWAY, NAMED_HOST_TIMEOUT_MS, onHost, PLC } from "./api.ts";
import type { ProofKey } from "./credential.ts";
import { SERVER_LENGTH_MAX } from "./identity.ts";
import { callWithProof } from "./proof.ts";

const address = z.url({ protocol: /^https?$/ }).max(SERVER_LENGTH_MAX);

const Resource = z.object({ authorization_servers: z.tuple([address]) });
const includes = (value: string) => z.array(z.string()).refine((values) => values.includes(value));
/** The specification requires this of every server. */
const Metadata = z.object({
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  pushed_authorization_request_endpoint: address,
  scopes_supported: includes("atproto"),
  dpop_signing_alg_values_supported: includes("ES256"),
  token_endpoint_auth_methods_supported: includes("private_key_jwt"),
  authorization_response_iss_parameter_supported: z.literal(true),
  client_id_metadata_document_supported: z.literal(true),
});
export type AuthorizationServer = z.output<typeof Metadata>;

export const USE_APP_PASSWORD = "Connect the account with an app password instead.";

const NO_SIGN_IN: GrantRefused = {
  is: "grant_refused",
  message: "The account's server does not offer sign-in in the browser.",
  hint: USE_APP_PASSWORD,
};

/** The authorization server that an account's server names. */
export async function findAuthorizationServer(
  io: NetworkIO,
  pds: string,
): Promise<AuthorizationServer | GrantRefused | Retryable> {
  const answer = await onHost(io, pds, "/.well-known/oauth-protected-resource");
  const resource = readResult(answer, Resource);
  if (resource === undefined) return isAway(answer) ? unavailable(answer, io.now()) : NO_SIGN_IN;
  return readMetadata(io, resource.authorization_servers[0]);
}

/** The description of an authorization server, which must be the server's own: its `issuer` is where it was read. */
export async function readMetadata(
  io: NetworkIO,
  issuer: string,
): Promise<AuthorizationServer | GrantRefused | Retryable> {
  const answer = await onHost(io, issuer, "/.well-known/oauth-authorization-server");
  const server = readResult(answer, Metadata);
  if (server === undefined) return isAway(answer) ? unavailable(answer, io.now()) : NO_SIGN_IN;
  const { protocol } = new URL(issuer);
  const endpoints = [
    server.authorization_endpoint,
    server.token_endpoint,
    server.pushed_authorization_request_endpoint,
  ];
  const isSafe = endpoints.every((endpoint) => new URL(endpoint).protocol === protocol);
  return server.issuer === issuer && isSafe ? server : NO_SIGN_IN;
}

const isAway = (answer: Answer): boolean => answer.is === "silence" || answer.status >= 500 || answer.status === 429;

/** The server, as the calls to it need it. */
type Server = Pick<AuthorizationServer, "issuer" | "token_endpoint">;
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/**
 * Posts a form to an authorization server: as this deployment, whose key `clientKey` proves it, and bound to a session's
 * key. null: the deployment no longer has that key.
 */
export async function postForm(
  io: NetworkIO,
  { issuer }: Pick<Server, "issuer">,
  endpoint: string,
  { fields, proofKey, clientKey }: { fields: Record<string, string>; proofKey: ProofKey; clientKey: string | null },
): Promise<Answer | null> {
  const { client } = io;
  if (client === undefined) return null;
  const makeInit = async (): Promise<RequestInit | null> => {
    const assertion = clientKey === null ? null : await client.assert(clientKey, issuer, io.now());
    if (clientKey !== null && assertion === null) return null;
    const body = new URLSearchParams({ ...fields, client_id: client.id });
    if (assertion !== null) {
      body.set("client_assertion_type", ASSERTION_TYPE);
      body.set("client_assertion", assertion);
    }
    return {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: body.toString(),
    };
  };
  const first = await makeInit();
  if (first === null) return null;
  const isOwn = [ENTRYWAY, APPVIEW, PLC].includes(new URL(endpoint).origin);
  const call = isOwn ? io.fetch : io.fetchPublic;
  return ask(
    (signal) =>
      callWithProof({ io, key: proofKey }, call, endpoint, {
        first: { ...first, signal },
        // An assertion works once, so the repetition has one of its own.
        again: async () => ({ ...((await makeInit()) ?? first), signal }),
      }),
    NAMED_HOST_TIMEOUT_MS,
  );
}

const Problem = z.object({ error: z.string(), error_description: z.string().optional() });

/** The OAuth error in an answer (RFC 6749, 5.2); null for any other answer. */
export function readProblem(answer: Answer): z.output<typeof Problem> | null {
  if (answer.is === "silence" || answer.status < 400 || answer.status > 499) return null;
  return Problem.safeParse(answer.body).data ?? null;
}
