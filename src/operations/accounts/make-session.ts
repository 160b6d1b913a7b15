import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { makeId, makeSessionToken } from "../../domain/ids.ts";
import { SESSION_LIFE_MS } from "../../domain/limits.ts";

/** Makes a session: its token, which is not stored, and its row, which stores the token's hash. */
export async function makeSession(ctx: Context) {
  const token = makeSessionToken(ctx.entropy);
  const now = ctx.now();
  const expiresAt = now + SESSION_LIFE_MS;
  const row = {
    id: makeId("ses", now, ctx.entropy),
    tokenHash: await sha256Hex(token),
    userAgent: ctx.userAgent,
    createdAt: now,
    lastSeenAt: now,
    expiresAt,
  };
  return { token, expiresAt, row };
}
