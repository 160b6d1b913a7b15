import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { CREDENTIAL_USE_NOTED_EVERY_MS } from "../../domain/limits.ts";
import { getResourceUrl, isOAuthToken } from "../../domain/oauth.ts";
import type { Role } from "../../domain/roles.ts";
import { findAccess, touchGrant } from "../../store/oauth/grants.ts";
import { limitTries } from "../rate-limit.ts";

/** The access that a token grants: for a client app that a user authorized for one workspace. */
export interface Access {
  grantId: string;
  userId: string;
  /** The name of the client app. */
  name: string;
  workspaceId: string;
  /** The user's current role. */
  role: Role;
  scopes: string[];
}

/**
 * Opens an access token of the MCP address and checks its current state. null: it is unknown, expired, revoked, for
 * another address, or its user is no longer a member. Throws `rate_limited` for an address that tries too many tokens.
 */
export async function openAccessToken(ctx: Context, token: string): Promise<Access | null> {
  const access = isOAuthToken("access", token)
    ? await findAccess(ctx.accounts, await sha256Hex(token), getResourceUrl(ctx.settings.baseUrl))
    : undefined;
  if (access === undefined) {
    await limitTries(ctx, { address: "bad_token_address" });
    return null;
  }
  const { grantId, userId, name, workspaceId, role, scopes, lastUsedAt, now } = access;
  if ((lastUsedAt ?? 0) < now - CREDENTIAL_USE_NOTED_EVERY_MS)
    ctx.later(touchGrant(ctx.accounts, workspaceId, grantId));
  return { grantId, userId, name, workspaceId, role, scopes };
}
