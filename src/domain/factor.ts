// Second factors: what kinds there are, and how recovery codes are written.
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

/** A recovery code as it is hashed: without the dashes and spaces that a person types or leaves out. */
export const normalizeRecoveryCode = (code: string) => code.replace(/[\s-]/g, "").toLowerCase();

/** Whether what a person typed is meant as the code of an app, and not as a recovery code. */
export const looksLikeAppCode = (code: string) => /^\d{6}$/.test(code.replace(/\s/g, ""));
