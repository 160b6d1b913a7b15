import type { AuditAct, AuditEntry } from "../../src/domain/audit.ts";

let count = 0;

/** Makes an entry of the audit log for functions of the store that a test calls directly. */
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
