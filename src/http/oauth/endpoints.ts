// The endpoints that client apps call: registration, tokens, revocation. Refusals use the error codes of OAuth.
import type { Handler, Hono, Context as HonoContext } from "hono";
import { OAuthRefusal } from "../../domain/oauth.ts";
import { Refusal } from "../../domain/refusal.ts";
import { type ClientProof, registerClient } from "../../operations/oauth/clients.ts";
import { type Form, giveTokens, revokeToken } from "../../operations/oauth/tokens.ts";
import { readForm } from "../form.ts";
import type { HttpEnv } from "../mount.ts";
import { readJsonBody } from "../request-body.ts";
import { openToBrowsers } from "./cors.ts";
import { REGISTER_PATH, REVOKE_PATH, TOKEN_PATH } from "./metadata.ts";

export function mountOAuthEndpoints(app: Hono<HttpEnv>): void {
  openToBrowsers(
    app,
    REGISTER_PATH,
    "POST",
    refusing(async (c) => c.json(await registerClient(c.var.ctx, await readMetadata(c.req.raw)), 201)),
  );
  openToBrowsers(
    app,
    TOKEN_PATH,
    "POST",
    refusing(async (c) => {
      const form = await readForm(c.req.raw);
      return c.json(await giveTokens(c.var.ctx, readProof(c.req.header("authorization"), form), form));
    }),
  );
  openToBrowsers(
    app,
    REVOKE_PATH,
    "POST",
    refusing(async (c) => {
      const form = await readForm(c.req.raw);
      await revokeToken(c.var.ctx, readProof(c.req.header("authorization"), form), form.get("token"));
      return c.json({});
    }),
  );
}

function refusing(handler: (c: HonoContext<HttpEnv>) => Promise<Response>): Handler<HttpEnv> {
  return async (c) => {
    c.header("Cache-Control", "no-store");
    try {
      return await handler(c);
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      const isUnproven = error.code === "invalid_client";
      if (isUnproven) c.header("WWW-Authenticate", 'Basic realm="Crier"');
      return c.json({ error: error.code, error_description: error.message }, isUnproven ? 401 : 400);
    }
  };
}

async function readMetadata(request: Request): Promise<unknown> {
  try {
    return await readJsonBody(request);
  } catch (error) {
    if (error instanceof Refusal && error.status === 422)
      throw new OAuthRefusal("invalid_client_metadata", error.message);
    throw error;
  }
}

/** The client's credentials, from the form or HTTP Basic (RFC 6749 2.3.1). Throws `OAuthRefusal`. */
function readProof(authorization: string | undefined, form: Form): ClientProof {
  const id = form.get("client_id");
  // Some clients without a secret send an empty one.
  const secret = form.get("client_secret") || null;
  if (authorization === undefined) {
    if (id === undefined) throw new OAuthRefusal("invalid_request", "`client_id` is missing.");
    return { id, secret };
  }
  const basic = readBasic(authorization);
  if (basic === null) throw new OAuthRefusal("invalid_client", "The Authorization header cannot be read.");
  if (secret !== null || (id !== undefined && id !== basic.id)) {
    throw new OAuthRefusal("invalid_request", "The client says in two ways who it is.");
  }
  return basic;
}

function readBasic(authorization: string): ClientProof | null {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization.trim())?.[1];
  if (encoded === undefined) return null;
  try {
    const [id = "", ...secretSegments] = atob(encoded).split(":");
    const decode = (text: string) => decodeURIComponent(text.replaceAll("+", " "));
    return { id: decode(id), secret: decode(secretSegments.join(":")) || null };
  } catch {
    return null;
  }
}
