import type { SealPlace } from "../../adapters/seal.ts";

/** The seal context of a factor's secret. */
export const getSecretPlace = (userId: string, factorId: string): SealPlace => ({
  purpose: "factor-secret",
  workspace: userId,
  row: factorId,
});
