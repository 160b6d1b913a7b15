import type { createKey } from "../../contract/keys.ts";
import type { Result } from "../../contract/operation.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { toUsdOrNull } from "../../domain/money.ts";
import type { NamedKeyRow } from "../../store/accounts/named-keys.ts";

export function keyView(row: NamedKeyRow): Omit<Result<typeof createKey>, "key"> {
  const { id, name, start, scopes, channels } = row;
  return {
    id,
    name,
    start,
    scopes,
    channels,
    created_by: row.createdBy,
    created_at: isoInstant(row.createdAt),
    last_used_at: isoOrNull(row.lastUsedAt),
    expires_at: isoOrNull(row.expiresAt),
    budget_usd: toUsdOrNull(row.budget),
  };
}
