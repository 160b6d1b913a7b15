// Second factors: their kinds, and the format of recovery codes.
import { base32 } from "./encoding.ts";
import type { Entropy } from "./ids.ts";

export const FACTOR_KINDS = ["totp", "passkey"] as const;
export type FactorKind = (typeof FACTOR_KINDS)[number];

/** How many recovery codes a person gets at once. */
export const RECOVERY_CODES_COUNT = 10;
/** 80 random bits, so a stored hash of a code cannot be reversed by guessing. */
const RECOVERY_CODE_BYTES = 10;

/** New recovery codes, written as `xxxx-xxxx-xxxx-xxxx`. */
export function makeRecoveryCodes(entropy: Entropy): string[] {
  return Array.from({ length: RECOVERY_CODES_COUNT }, () => {
    const letters = base32(entropy(RECOVERY_CODE_BYTES)).toLowerCase();
    return letters.match(/.{4}/g)?.join("-") ?? letters;
  });
}

/** A recovery code in the form that is hashed, without dashes and spaces. */
export const normalizeRecoveryCode = (code: string) => code.replace(/[\s-]/g, "").toLowerCase();

/** Whether the input looks like the code of an authenticator app, and not like a recovery code. */
export const looksLikeAppCode = (code: string) => /^\d{6}$/.test(code.replace(/\s/g, ""));
