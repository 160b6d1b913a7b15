// The audit log: actor, action, target and origin of each change in a workspace.
import * as z from "zod";
import { AUDIT_ACT_NAMES } from "../domain/audit.ts";
import { AUDIT_KEPT_MS, DAY_MS, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { Actor } from "./events.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, instant, limit, page } from "./shapes.ts";

const SAMPLE_ENTRY = {
  id: SAMPLE.auditEntry,
  at: SAMPLE.created,
  act: "member.role_changed" as const,
  actor: { kind: "person" as const, id: SAMPLE.user, name: "Ada" },
  target: { id: SAMPLE.otherUser, name: "Grace" },
  address: "203.0.113.7",
  client: "Firefox on Linux",
  details: { role: "publisher" },
};

export const AuditEntry = z
  .object({
    id,
    at: instant,
    act: z.enum(AUDIT_ACT_NAMES),
    actor: Actor,
    target: z.object({
      id: id
        .nullable()
        .meta(about("Id of the member, invitation, key, application, channel, webhook, post or delivery.")),
      name: z
        .string()
        .nullable()
        .meta(about("Name of the target at that time; null if it has none that may be shown.")),
    }),
    address: z.string().nullable().meta(about("The IP address of the caller.")),
    client: z.string().nullable().meta(about("The self-reported name of the browser or program that made the call.")),
    details: z
      .record(z.string(), z.string())
      .meta(
        about(
          "The values that were set, such as `role`, `scopes` (separated by spaces), `timezone`, or the `method` of a sign-in.",
        ),
      ),
  })
  .meta({ id: "AuditEntry", examples: [SAMPLE_ENTRY] });

const filters = {
  act: z.enum(AUDIT_ACT_NAMES).optional(),
  actor: id.optional().meta({ description: "Only actions of this user, key or application, by `actor.id`." }),
  target: id.optional().meta({ description: "Only actions on this target, by `target.id`." }),
  from: z.iso.datetime({ offset: true }).optional().meta({ description: "Only entries at or after this instant." }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: "Only entries before this instant." }),
};

const facts = {
  ...plain,
  method: "GET",
  auth: "session_in_workspace",
  ability: "read_audit",
  tag: "Workspaces",
} as const;

export const listAudit = operation({
  ...facts,
  path: "/v1/audit",
  summary: "List the workspace's audit log",
  description:
    "Covers people, roles, keys, applications, channels, webhooks, settings, approvals, take-downs, revealed secrets, and sign-ins of members. " +
    "Rejected actions have no entry, and no entry contains a secret or a post's text. " +
    `Entries are kept for ${AUDIT_KEPT_MS / DAY_MS} days.`,
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor, ...filters }),
  result: page("audit", AuditEntry),
  success: { 200: "A page of entries, newest first." },
  refusals: ["unreadable_cursor"],
});

export const auditTable = operation({
  ...facts,
  path: "/v1/audit.csv",
  summary: "Download the audit log as CSV",
  description:
    "Returns all entries that `GET /v1/audit` finds with these filters. A cell that a spreadsheet would read as a formula is prefixed with `'`. " +
    "If the answer is incomplete, the connection is broken off.",
  query: z.object(filters),
  result: z.string().meta({
    examples: [
      "id,at,act,actor_kind,actor_id,actor,target_id,target,address,client,details\r\n" +
        `${SAMPLE_ENTRY.id},${SAMPLE_ENTRY.at},${SAMPLE_ENTRY.act},person,${SAMPLE.user},Ada,${SAMPLE.otherUser},Grace,203.0.113.7,Firefox on Linux,"{""role"":""publisher""}"\r\n`,
    ],
  }),
  stream: { type: "text/csv", fileName: "crier-audit.csv" },
  success: { 200: "The entries as CSV with a header (RFC 4180), in UTF-8." },
  refusals: [],
});
