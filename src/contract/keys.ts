import * as z from "zod";
import { KEY_CHANNELS_MAX, LIST_LIMIT_DEFAULT, NAMED_KEYS_MAX } from "../domain/limits.ts";
import { SCOPES } from "../domain/roles.ts";
import { budgetUsd } from "./cost.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, id, instant, limit, name, page, pathId } from "./shapes.ts";

const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .meta(
    about(
      "The key's scopes. None includes another. `read`; `draft`: drafts and posts awaiting approval; `publish`; " +
        "`manage`: channels, webhooks, slots, deleting files.",
    ),
  );
const channels = z.array(id).min(1).max(KEY_CHANNELS_MAX);

const sample = {
  id: SAMPLE.namedKey,
  name: "The assistant",
  start: "crier_live_EXAMP",
  scopes: ["read", "draft"] as ("read" | "draft")[],
  channels: [SAMPLE.channel],
  created_by: SAMPLE.user,
  created_at: SAMPLE.created,
  last_used_at: null,
  expires_at: null,
  budget_usd: null,
};

const Key = z
  .object({
    id,
    name: z.string(),
    start: z.string().meta(about("The first characters of the key, to recognize it.")),
    scopes,
    channels: channels.nullable().meta(about("The channels that the key can access; null for all.")),
    created_by: id.meta(about("The owner who created the key. The key ends when they stop being an owner.")),
    created_at: instant,
    last_used_at: instant.nullable().meta(about("Accurate to the hour; null if never used.")),
    expires_at: instant.nullable().meta(about("When the key expires; null if never.")),
    budget_usd: z
      .number()
      .nullable()
      .meta(about("The key's budget per UTC month, in US dollars; null for no limit of its own.")),
  })
  .meta({ id: "Key", examples: [sample] });

export const listKeys = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id/keys",
  auth: "session",
  ability: "manage_key",
  accountScopes: ["keys"],
  tag: "Workspaces",
  summary: "List a workspace's named keys",
  description: "Revoked keys are not included, nor is the workspace's own key, which has all scopes.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("keys", Key),
  success: { 200: `A page of keys, newest first. A workspace has at most ${NAMED_KEYS_MAX}.` },
  refusals: ["unreadable_cursor"],
});

export const createKey = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/keys",
  auth: "session",
  ability: "manage_key",
  accountScopes: ["keys"],
  tag: "Workspaces",
  summary: "Create a named key for some scopes and channels",
  description:
    "For a program with limited access. Channels outside `channels` are hidden from the key, and so are posts " +
    "that go to one of them.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  body: z.strictObject({
    name,
    scopes,
    channels: channels.nullable().optional().meta(about("Channel ids. Null or omitted for all.")),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .meta(about("When the key expires. Null or omitted for never.")),
    budget_usd: budgetUsd
      .optional()
      .meta(about("The key's budget per UTC month, in US dollars. Null or omitted for no limit of its own.")),
  }),
  result: Key.extend({ key: z.string().meta(about("The key itself. Shown in this answer only.")) }).meta({
    examples: [{ ...sample, key: SAMPLE.key }],
  }),
  success: { 201: "The key. Save it now: it is not stored and cannot be shown again." },
  refusals: ["unknown_channel", "too_many_keys", "factor_required"],
  examples: {
    "An assistant that drafts": { name: "The assistant", scopes: ["read", "draft"], channels: [SAMPLE.channel] },
    "For at most $5 a month": { name: "The campaign", scopes: ["publish"], budget_usd: 5 },
    "For a month": { name: "The shop", scopes: ["publish"], expires_at: "2026-12-21T00:00:00Z" },
  },
});

export const changeKey = operation({
  ...plain,
  method: "PATCH",
  path: "/v1/workspaces/:id/keys/:key",
  auth: "session",
  ability: "manage_key",
  accountScopes: ["keys"],
  tag: "Workspaces",
  summary: "Change a named key's budget",
  description: "Posts that the key has already scheduled this month count against the budget.",
  params: z.object({ ...buildIdParams(SAMPLE.workspace), key: pathId.meta({ examples: [SAMPLE.namedKey] }) }),
  body: z.strictObject({
    budget_usd: budgetUsd.meta(about("The budget in US dollars; null for no limit of its own.")),
  }),
  result: Key,
  success: { 200: "The updated key." },
  refusals: ["not_found"],
  examples: { "At most $10 a month": { budget_usd: 10 } },
});

export const revokeKey = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/keys/:key",
  auth: "session",
  ability: "manage_key",
  accountScopes: ["keys"],
  tag: "Workspaces",
  summary: "Revoke a named key",
  description: "The key is rejected from the next request on, including in open MCP sessions.",
  params: z.object({ ...buildIdParams(SAMPLE.workspace), key: pathId.meta({ examples: [SAMPLE.namedKey] }) }),
  success: { 204: "The key is revoked." },
  refusals: ["not_found"],
});
