// Asks a person for their second factor: at a sign-in, and before a call of a session that a factor protects.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { makeFactorChallenge } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { FACTOR_CHALLENGE_LIFE_MS } from "../../domain/limits.ts";
import { type Refusal, refuse } from "../../domain/refusal.ts";
import { findChallenge, storeChallenge, takeShownFactor } from "../../store/accounts/factor-challenges.ts";
import { type FactorRow, listFactors } from "../../store/accounts/factors.ts";
import { limitTries } from "../rate-limit.ts";
import { askForPasskey } from "./passkey.ts";

/**
 * Makes the refusal that asks for a factor, with a new challenge. `sessionHash`: the session that must show it; null: a
 * sign-in. `factors`: the person's own.
 */
export async function refuseWithoutFactor(
  ctx: Context,
  { userId, sessionHash, factors }: { userId: string; sessionHash: string | null; factors: FactorRow[] },
  message?: string,
): Promise<Refusal> {
  const challenge = makeFactorChallenge(ctx.entropy);
  const expiresAt = ctx.now() + FACTOR_CHALLENGE_LIFE_MS;
  await storeChallenge(ctx.accounts, { tokenHash: await sha256Hex(challenge), userId, sessionHash, expiresAt });
  const methods = [...new Set(factors.map(({ kind }) => kind)), "recovery_code"];
  const passkey = await askForPasskey(ctx, challenge, factors);
  return refuse("factor_required", {
    message,
    extra: { challenge, expires_at: isoInstant(expiresAt), methods, passkey },
  });
}

/** The factors that can answer a sign-in challenge; null: the challenge was used, or has expired. */
export async function describeChallenge(ctx: Context, challenge: string) {
  await limitTries(ctx, { address: "oauth_address" });
  const challengeRow = await findChallenge(ctx.accounts, await sha256Hex(challenge), null);
  if (challengeRow === undefined) return null;
  const factors = await listFactors(ctx.accounts, challengeRow.userId);
  return { kinds: factors.map(({ kind }) => kind), passkey: await askForPasskey(ctx, challenge, factors) };
}

/** A person in a session. */
interface Person {
  userId: string;
  tokenHash: string;
}
/** The part of an account key's call that identifies it. */
interface AccountKey {
  keyId: string;
}

/**
 * Throws `factor_required` unless the session has just shown a factor, or its person has none. A proof is valid for one
 * call, so this check comes after all others that can refuse the call. A person shows a factor to create an account key,
 * and not for each of the key's calls.
 */
export async function requireFactor(ctx: Context, person: Person | AccountKey): Promise<void> {
  if ("keyId" in person) return;
  const { userId, tokenHash } = person;
  const { isNeeded, isShown } = await takeShownFactor(ctx.accounts, userId, tokenHash);
  if (!isNeeded || isShown) return;
  const factors = await listFactors(ctx.accounts, userId);
  throw await refuseWithoutFactor(ctx, { userId, sessionHash: tokenHash, factors });
}

/**
 * Like `requireFactor`, for operations that require a person to have a factor. Throws `factor_missing`, with `facts`,
 * if they have none.
 */
export async function requireOwnFactor(
  ctx: Context,
  person: Person,
  facts: { field?: string; message: string },
): Promise<void> {
  if ((await listFactors(ctx.accounts, person.userId)).length === 0) throw refuse("factor_missing", facts);
  await requireFactor(ctx, person);
}
