import type { SealBinding } from "../../adapters/seal.ts";

/** The seal context of a factor's secret. */
export const getSecretBinding = (userId: string, factorId: string): SealBinding => ({
  purpose: "factor-secret",
  workspace: userId,
  row: factorId,
});
