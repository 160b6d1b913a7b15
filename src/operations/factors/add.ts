import { buildTotpUrl, makeTotpSecret } from "../../adapters/totp.ts";
import type { addFactor as contract } from "../../contract/factors.ts";
import { makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { FACTOR_CHALLENGE_LIFE_MS } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { beginFactor } from "../../store/accounts/factors.ts";
import { provePassword } from "../accounts/prove-password.ts";
import { signedIn } from "../caller.ts";
import { created, type Run } from "../run.ts";
import { requireFactor } from "./challenge.ts";
import { getSecretPlace } from "./place.ts";

const DEFAULT_NAME = "Authenticator app";

/** Begins a factor. Its secret is shown in this answer, and stays sealed from then on. */
export const addFactor: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId, tokenHash } = signedIn(caller);
  if (ctx.seal === null) throw refuse("key_not_configured");
  const user = await provePassword(ctx, userId, body.password, "/password");
  await requireFactor(ctx, { userId, tokenHash });
  const createdAt = ctx.now();
  const id = makeId("fac", createdAt, ctx.entropy);
  const name = body.name ?? DEFAULT_NAME;
  const secret = makeTotpSecret(ctx.entropy);
  const sealed = await ctx.seal.seal(secret, getSecretPlace(userId, id));
  const row = { id, userId, kind: body.kind, name, secret: sealed, createdAt };
  if (!(await beginFactor(ctx.accounts, row))) throw refuse("too_many_factors");
  const issuer = new URL(ctx.settings.baseUrl).hostname;
  return created({
    id,
    kind: body.kind,
    name,
    expires_at: isoInstant(createdAt + FACTOR_CHALLENGE_LIFE_MS),
    secret,
    otpauth_url: buildTotpUrl(secret, { issuer: `Crier (${issuer})`, account: user.email }),
  });
};
