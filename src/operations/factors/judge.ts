// Judges the evidence that answers a challenge.
import { sha256Hex } from "../../adapters/digest.ts";
import { findTotpStep } from "../../adapters/totp.ts";
import { getRelyingParty, readShownPasskey } from "../../adapters/webauthn.ts";
import type { Context } from "../../context.ts";
import type { Shown } from "../../contract/factors.ts";
import { normalizeRecoveryCode } from "../../domain/factor.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Evidence } from "../../store/accounts/factor-challenges.ts";
import { type FactorRow, listFactors } from "../../store/accounts/factors.ts";
import { limitTries } from "../rate-limit.ts";
import { derivePasskeyChallenge } from "./passkey.ts";
import { getSecretBinding } from "./secret-binding.ts";

/** Hashes a code as it is stored. The hash includes the user, so equal codes of two people do not look equal. */
export const hashRecoveryCode = (userId: string, code: string) =>
  sha256Hex(`recovery|${userId}|${normalizeRecoveryCode(code)}`);

/** The time step of a valid and unused code of this factor; null if the code is wrong or was already used. */
export async function findFreshStep(ctx: Context, row: FactorRow, code: string): Promise<number | null> {
  if (row.secret === null) return null;
  const secret = await ctx.seal?.unseal(row.secret, getSecretBinding(row.userId, row.id));
  if (secret === undefined || secret === null) throw refuse("key_not_configured");
  const step = await findTotpStep(secret, code.replace(/\s/g, ""), ctx.now());
  return step !== null && step > row.counter ? step : null;
}

/**
 * Counts the attempt, and returns the evidence if it is valid, otherwise null. Throws `invalid_field` unless the answer has
 * exactly one kind of evidence.
 */
export async function judgeEvidence(ctx: Context, userId: string, answer: Shown): Promise<Evidence | null> {
  const { challenge, code, recovery_code: recoveryCode, passkey } = answer;
  if ([code, recoveryCode, passkey].filter((proof) => proof !== undefined).length !== 1) {
    throw refuse("invalid_field", {
      field: "/code",
      message: "Send one of `code`, `recovery_code` and `passkey`.",
    });
  }
  if (passkey !== undefined) {
    await limitTries(ctx, { account: ["factor_user", userId] });
    return judgePasskey(ctx, { userId, challenge }, passkey);
  }
  if (recoveryCode !== undefined) {
    await limitTries(ctx, { account: ["factor_user", userId] });
    return { kind: "recovery_code", hash: await hashRecoveryCode(userId, recoveryCode) };
  }
  return code === undefined ? null : judgeCode(ctx, userId, code);
}

async function judgePasskey(
  ctx: Context,
  { userId, challenge }: { userId: string; challenge: string },
  passkey: NonNullable<Shown["passkey"]>,
): Promise<Evidence | null> {
  const party = getRelyingParty(ctx.settings.baseUrl);
  const row = (await listFactors(ctx.accounts, userId)).find(({ credentialId }) => credentialId === passkey.id);
  if (party === null || row === undefined || row.credentialId === null || row.publicKey === null) return null;
  const { credentialId, publicKey, counter } = row;
  const stored = { credentialId, publicKey, counter };
  const nextCounter = await readShownPasskey(party, await derivePasskeyChallenge(challenge), stored, passkey);
  return nextCounter === null ? null : { kind: "factor", factorId: row.id, counter, nextCounter };
}

async function judgeCode(ctx: Context, userId: string, code: string): Promise<Evidence | null> {
  await limitTries(ctx, { account: ["factor_code_user", userId] });
  for (const row of await listFactors(ctx.accounts, userId)) {
    const step = await findFreshStep(ctx, row, code);
    if (step !== null) return { kind: "factor", factorId: row.id, counter: row.counter, nextCounter: step };
  }
  return null;
}
