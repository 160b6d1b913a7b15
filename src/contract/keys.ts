import * as z from "zod";
import { KEY_CHANNELS_MAX, LIST_LIMIT_DEFAULT, NAMED_KEYS_MAX } from "../domain/limits.ts";
import { SCOPES } from "../domain/roles.ts";
import { budgetUsd } from "./cost.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, instant, limit, name, page, pathId, pathIdOf } from "./shapes.ts";

const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .meta(
    about(
      "What it is good for; none includes another. `read`; `draft`: drafts and what waits for approval; `publish`; " +
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
    start: z.string().meta(about("How the key begins, to know it by.")),
    scopes,
    channels: channels.nullable().meta(about("The channels that there are for it; null: all.")),
    created_by: id.meta(about("The owner who made it. It ends when they are no owner any more.")),
    created_at: instant,
    last_used_at: instant.nullable().meta(about("Within the hour; null: never.")),
    expires_at: instant.nullable().meta(about("From then on it is refused; null: never.")),
    budget_usd: z
      .number()
      .nullable()
      .meta(about("What it may schedule in a UTC month, in US dollars; null: no limit of its own.")),
  })
  .meta({ id: "Key", examples: [sample] });

export const listKeys = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id/keys",
  auth: "session",
  ability: "manage_key",
  tag: "Workspaces",
  summary: "The named keys of a workspace",
  description: "Those that nobody has revoked. The workspace's own key is not among them: it has all scopes.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("keys", Key),
  success: { 200: `Newest first; a workspace has at most ${NAMED_KEYS_MAX}.` },
  refusals: ["unreadable_cursor"],
});

export const createKey = operation({
  ...plain,
  method: "POST",
  path: "/v1/workspaces/:id/keys",
  auth: "session",
  ability: "manage_key",
  tag: "Workspaces",
  summary: "Make a key with a name, for some scopes and channels",
  description:
    "For a program that is not to have everything. Channels beyond `channels` are not there for it, and neither are posts " +
    "that go to one of them.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  body: z.strictObject({
    name,
    scopes,
    channels: channels.nullable().optional().meta(about("Ids of channels; null, or left out: all.")),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .meta(about("From then on it is refused; null, or left out: never.")),
    budget_usd: budgetUsd
      .optional()
      .meta(about("What it may schedule in a UTC month, in US dollars; null, or left out: no limit of its own.")),
  }),
  result: Key.extend({ key: z.string().meta(about("The key itself. Shown in this answer only.")) }).meta({
    examples: [{ ...sample, key: SAMPLE.key }],
  }),
  success: { 201: "The key. Keep it now: it is not stored, and cannot be shown again." },
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
  tag: "Workspaces",
  summary: "Change a named key's budget",
  description: "What the key has scheduled in this month counts against it.",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), key: pathId.meta({ examples: [SAMPLE.namedKey] }) }),
  body: z.strictObject({ budget_usd: budgetUsd.meta(about("In US dollars; null: no limit of its own.")) }),
  result: Key,
  success: { 200: "The key, as it now is." },
  refusals: ["not_found"],
  examples: { "At most $10 a month": { budget_usd: 10 } },
});

export const revokeKey = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/keys/:key",
  auth: "session",
  ability: "manage_key",
  tag: "Workspaces",
  summary: "End a named key",
  description: "It is refused from the next request on, in open MCP sessions too.",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), key: pathId.meta({ examples: [SAMPLE.namedKey] }) }),
  success: { 204: "It opens nothing any more." },
  refusals: ["not_found"],
});
