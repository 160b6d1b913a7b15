import type { createAccountKey } from "../../contract/account-keys.ts";
import type { Result } from "../../contract/operation.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import type { AccountKeyRow } from "../../store/accounts/account-keys.ts";

export function accountKeyView(row: AccountKeyRow): Omit<Result<typeof createAccountKey>, "key"> {
  const { id, name, start, scopes } = row;
  return {
    id,
    name,
    start,
    scopes,
    created_at: isoInstant(row.createdAt),
    last_used_at: isoOrNull(row.lastUsedAt),
    expires_at: isoOrNull(row.expiresAt),
  };
}
