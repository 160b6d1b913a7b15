// Judges what somebody shows in answer to a challenge.
import { sha256Hex } from "../../adapters/digest.ts";
import { findTotpStep } from "../../adapters/totp.ts";
import type { Context } from "../../context.ts";
import type { Shown } from "../../contract/factors.ts";
import { normalizeRecoveryCode } from "../../domain/factor.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Evidence } from "../../store/accounts/factor-challenges.ts";
import { type FactorRow, listFactors } from "../../store/accounts/factors.ts";
import { limitTries } from "../rate-limit.ts";
import { getSecretPlace } from "./place.ts";

/** As it is stored. The user is hashed along, so that equal codes of two people would not look equal. */
export const hashRecoveryCode = (userId: string, code: string) =>
  sha256Hex(`recovery|${userId}|${normalizeRecoveryCode(code)}`);

/** The time step of a code of this factor that was not used before; null: the code is wrong. */
export async function findFreshStep(ctx: Context, row: FactorRow, code: string): Promise<number | null> {
  if (row.secret === null) return null;
  const secret = await ctx.seal?.unseal(row.secret, getSecretPlace(row.userId, row.id));
  if (secret === undefined || secret === null) throw refuse("key_not_configured");
  const step = await findTotpStep(secret, code.replace(/\s/g, ""), ctx.now());
  return step !== null && step > row.counter ? step : null;
}

/** Counts the try, and finds out what it proves; null: nothing. Throws `invalid_field` unless one thing is shown. */
export async function judgeEvidence(ctx: Context, userId: string, shown: Shown): Promise<Evidence | null> {
  const { code, recovery_code: recoveryCode } = shown;
  if ((code === undefined) === (recoveryCode === undefined)) {
    throw refuse("invalid_field", { field: "/code", message: "Send either `code` or `recovery_code`." });
  }
  if (recoveryCode !== undefined) {
    await limitTries(ctx, { account: ["factor_user", userId] });
    return { kind: "recovery_code", hash: await hashRecoveryCode(userId, recoveryCode) };
  }
  return code === undefined ? null : judgeCode(ctx, userId, code);
}

async function judgeCode(ctx: Context, userId: string, code: string): Promise<Evidence | null> {
  await limitTries(ctx, { account: ["factor_code_user", userId] });
  for (const row of await listFactors(ctx.accounts, userId)) {
    const step = await findFreshStep(ctx, row, code);
    if (step !== null) return { kind: "factor", factorId: row.id, counter: row.counter, nextCounter: step };
  }
  return null;
}
