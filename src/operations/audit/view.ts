import type * as z from "zod";
import type { AuditEntry } from "../../contract/audit.ts";
import { isoInstant } from "../../domain/instant.ts";
import type { AuditRow } from "../../store/audit.ts";

export function auditView(row: AuditRow): z.input<typeof AuditEntry> {
  const { id, at, act, address, client, details } = row;
  return {
    id,
    at: isoInstant(at),
    act,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    target: { id: row.targetId, name: row.targetName },
    address,
    client,
    details,
  };
}
