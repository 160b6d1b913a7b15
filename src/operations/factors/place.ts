import type { SealPlace } from "../../adapters/seal.ts";

/** Where the sealed secret of a factor belongs. */
export const getSecretPlace = (userId: string, factorId: string): SealPlace => ({
  purpose: "factor-secret",
  workspace: userId,
  row: factorId,
});
