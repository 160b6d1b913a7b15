import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { makeSessionToken } from "../../domain/ids.ts";
import { SESSION_LIFE_MS } from "../../domain/limits.ts";
import { insertSession } from "../../store/accounts/sessions.ts";

/** A new session for a user: its token, which is not kept, and the statements that store its hash. */
export async function beginSession(ctx: Context, userId: string) {
  const token = makeSessionToken(ctx.entropy);
  const now = ctx.now();
  const expiresAt = now + SESSION_LIFE_MS;
  const tokenHash = await sha256Hex(token);
  const statements = insertSession(ctx.accounts, { tokenHash, userId, createdAt: now, lastSeenAt: now, expiresAt });
  return { token, expiresAt, statements };
}
