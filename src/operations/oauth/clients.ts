// Identifies clients: registered here (RFC 7591), or described at the address that is their id.
import * as z from "zod";
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { isId, makeId } from "../../domain/ids.ts";
import { OAUTH_CLIENT_NAME_LENGTH_MAX, OAUTH_REDIRECT_URIS_MAX, URL_LENGTH_MAX } from "../../domain/limits.ts";
import { AUTH_METHODS, isRedirectUri, makeOAuthToken, OAuthRefusal, SCOPE } from "../../domain/oauth.ts";
import { isShowable, readStrangerName } from "../../domain/visible-name.ts";
import { findOAuthClient, insertOAuthClient } from "../../store/oauth/clients.ts";
import { limitTries } from "../rate-limit.ts";
import { isDocumentAddress, readClientDocument } from "./client-document.ts";

export interface OAuthClient {
  id: string;
  /** The client's own name for itself. */
  name: string;
  url: string | null;
  /** At least one, each an address that a user may be redirected to. */
  redirectUris: string[];
  /** The host that serves its document; null: the client only describes itself. */
  describedBy: string | null;
}

/** The client of an id; null if the id is unknown. Throws `OAuthRefusal` if its document cannot be read. */
export async function findClient(ctx: Context, id: string): Promise<OAuthClient | null> {
  if (isDocumentAddress(ctx, id)) {
    const described = describe(await readClientDocument(ctx, id));
    return { ...described, id, describedBy: new URL(id).host };
  }
  const row = isId("client", id) ? await findOAuthClient(ctx.accounts, id) : undefined;
  return row === undefined ? null : { ...row, describedBy: null };
}

const Described = z.object({
  redirect_uris: z.array(z.string().max(URL_LENGTH_MAX)).min(1).max(OAUTH_REDIRECT_URIS_MAX),
  client_name: z.string().max(OAUTH_CLIENT_NAME_LENGTH_MAX).refine(isShowable).transform(readStrangerName).optional(),
  client_uri: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

const UNREADABLE_NAME =
  `\`client_name\` must be a line of visible characters, at most ${OAUTH_CLIENT_NAME_LENGTH_MAX}, ` +
  "without a mix of scripts whose letters look alike.";

/** Reads the parts of a client's metadata that are used here. Throws `OAuthRefusal`. */
function describe(metadata: unknown): Pick<OAuthClient, "name" | "url" | "redirectUris"> {
  const { data, error } = Described.safeParse(metadata);
  if (data === undefined) {
    const [field] = error.issues[0]?.path ?? [];
    if (field === "redirect_uris") throw new OAuthRefusal("invalid_redirect_uri", "`redirect_uris` must be addresses.");
    throw new OAuthRefusal(
      "invalid_client_metadata",
      field === "client_name" ? UNREADABLE_NAME : `\`${String(field ?? "The description")}\` cannot be read.`,
    );
  }
  if (data.client_name === null) throw new OAuthRefusal("invalid_client_metadata", UNREADABLE_NAME);
  if (data.grant_types !== undefined && !data.grant_types.includes("authorization_code")) {
    throw new OAuthRefusal(
      "invalid_client_metadata",
      "Only `authorization_code` (and `refresh_token`) is granted here.",
    );
  }
  if (data.response_types !== undefined && !data.response_types.includes("code")) {
    throw new OAuthRefusal("invalid_client_metadata", "The only response type is `code`.");
  }
  // A client app that runs in several places may list addresses that only some servers accept; unaccepted ones are left
  // out.
  const redirectUris = [...new Set(data.redirect_uris)].filter(isRedirectUri);
  const [first] = redirectUris;
  if (first === undefined) {
    throw new OAuthRefusal("invalid_redirect_uri", "A redirect address must be https, or http on a loopback host.");
  }
  const url = data.client_uri ?? "";
  return {
    name: data.client_name ?? new URL(first).host,
    url: url.length <= URL_LENGTH_MAX && URL.canParse(url) && new URL(url).protocol === "https:" ? url : null,
    redirectUris,
  };
}

const AuthMethods = z.object({ token_endpoint_auth_method: z.enum(AUTH_METHODS).default("client_secret_basic") });

/** Registers a client. Returns its registration, the secret shown once. Throws `OAuthRefusal` or `rate_limited`. */
export async function registerClient(ctx: Context, metadata: unknown): Promise<Record<string, unknown>> {
  await limitTries(ctx, { address: "register_address" });
  const { name, url, redirectUris } = describe(metadata);
  const method = AuthMethods.safeParse(metadata).data?.token_endpoint_auth_method;
  if (method === undefined) {
    throw new OAuthRefusal(
      "invalid_client_metadata",
      `\`token_endpoint_auth_method\` is one of ${AUTH_METHODS.join(", ")}.`,
    );
  }
  const now = ctx.now();
  const id = makeId("client", now, ctx.entropy);
  const secret = method === "none" ? null : makeOAuthToken("secret", ctx.entropy);
  const secretHash = secret === null ? null : await sha256Hex(secret);
  await insertOAuthClient(ctx.accounts, {
    id,
    name,
    url,
    redirectUris,
    authMethod: method,
    secretHash,
    createdAt: now,
  });
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now / 1000),
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: name,
    ...(url === null ? {} : { client_uri: url }),
    redirect_uris: redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    scope: SCOPE,
  };
}

/** The proof of identity that a caller of the token endpoint presents. */
export interface ClientProof {
  id: string;
  /** null: it has none. */
  secret: string | null;
}

/** Checks that a caller of the token endpoint is the client that it claims to be. Throws `invalid_client`. */
export async function proveClient(ctx: Context, proof: ClientProof): Promise<void> {
  const unproven = new OAuthRefusal("invalid_client", "The client is unknown, or its secret is wrong.");
  if (isDocumentAddress(ctx, proof.id)) {
    // These clients are public: PKCE and the tokens themselves prove that a code or token is theirs.
    if (proof.secret !== null) throw unproven;
    return;
  }
  const row = isId("client", proof.id) ? await findOAuthClient(ctx.accounts, proof.id) : undefined;
  const hash = proof.secret === null ? null : await sha256Hex(proof.secret);
  if (row === undefined || row.secretHash !== hash) {
    await limitTries(ctx, { address: "bad_token_address" });
    throw unproven;
  }
}
