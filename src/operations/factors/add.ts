import { buildTotpUrl, makeTotpSecret } from "../../adapters/totp.ts";
import type { Context } from "../../context.ts";
import type { addFactor as contract } from "../../contract/factors.ts";
import type { Result } from "../../contract/operation.ts";
import { base64Url } from "../../domain/encoding.ts";
import type { FactorKind } from "../../domain/factor.ts";
import { makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { FACTOR_CHALLENGE_LIFE_MS } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import type { UserRow } from "../../store/accounts/accounts.ts";
import { beginFactor, listFactors } from "../../store/accounts/factors.ts";
import { provePassword } from "../accounts/prove-password.ts";
import { signedIn } from "../caller.ts";
import { created, type Run } from "../run.ts";
import { requireFactor } from "./challenge.ts";
import { askForNewPasskey, requireRelyingParty } from "./passkey.ts";
import { getSecretBinding } from "./secret-binding.ts";

const DEFAULT_NAMES: Record<FactorKind, string> = { totp: "Authenticator app", passkey: "Passkey" };

type Shown = Pick<Result<typeof contract>, "secret" | "otpauth_url" | "options">;

/** Begins a factor. This answer shows an app's secret; afterwards it is only stored sealed. */
export const addFactor: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId, tokenHash } = signedIn(caller);
  const { kind, name = DEFAULT_NAMES[kind] } = body;
  const begin = { totp: beginApp, passkey: beginPasskey }[kind];
  const user = await provePassword(ctx, { userId, tokenHash }, body.password, "/password");
  const createdAt = ctx.now();
  const id = makeId("fac", createdAt, ctx.entropy);
  const { secret, shown } = await begin(ctx, user, id);
  await requireFactor(ctx, { userId, tokenHash });
  const row = { id, userId, kind, name, secret, createdAt };
  if (!(await beginFactor(ctx.accounts, row))) throw refuse("too_many_factors");
  return created({ id, kind, name, expires_at: isoInstant(createdAt + FACTOR_CHALLENGE_LIFE_MS), ...shown });
};

/** The stored row of a factor that was begun, and the data that the person is shown. */
interface Begun {
  secret: string;
  shown: Shown;
}

async function beginApp(ctx: Context, user: UserRow, id: string): Promise<Begun> {
  if (ctx.seal === null) throw refuse("key_not_configured");
  const secret = makeTotpSecret(ctx.entropy);
  const issuer = `Crier (${new URL(ctx.settings.baseUrl).hostname})`;
  const view = { secret, otpauth_url: buildTotpUrl(secret, { issuer, account: user.email }), options: null };
  return { secret: await ctx.seal.seal(secret, getSecretBinding(user.id, id)), shown: view };
}

/** Until the passkey is confirmed, the secret column holds its challenge. */
async function beginPasskey(ctx: Context, user: UserRow): Promise<Begun> {
  const party = requireRelyingParty(ctx);
  const challenge = base64Url(ctx.entropy(32));
  const factors = await listFactors(ctx.accounts, user.id);
  const options = askForNewPasskey(party, { user, challenge, factors });
  return { secret: challenge, shown: { secret: null, otpauth_url: null, options } };
}
