import type { listFactors } from "../../contract/factors.ts";
import type { Result } from "../../contract/operation.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import type { FactorRow } from "../../store/accounts/factors.ts";

/** A factor as its owner sees it. */
export function toFactorView(row: FactorRow): Result<typeof listFactors>["factors"][number] {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    created_at: isoInstant(row.createdAt),
    last_used_at: isoOrNull(row.lastUsedAt),
  };
}
