// Entries of the audit log for functions of the store that a test calls by themselves.
import type { AuditAct, AuditEntry } from "../../src/domain/audit.ts";

let count = 0;

/** An entry of an act in a workspace. */
export const makeEntry = (workspaceId: string, act: AuditAct): AuditEntry => ({
  workspaceId,
  id: `aud_${++count}`,
  at: Date.now(),
  act,
  actor: { kind: "person", id: "usr_1", name: "Ada" },
  target: { id: null, name: null },
  address: null,
  client: null,
  details: {},
});
