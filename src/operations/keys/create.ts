import { sha256Hex } from "../../adapters/digest.ts";
import type { createKey as contract } from "../../contract/keys.ts";
import { makeId, makeWorkspaceKey } from "../../domain/ids.ts";
import { NAMED_KEYS_MAX } from "../../domain/limits.ts";
import { toMicrosOrNull } from "../../domain/money.ts";
import { refuse } from "../../domain/refusal.ts";
import { SCOPES } from "../../domain/roles.ts";
import { insertKey } from "../../store/accounts/named-keys.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import { makeEntry } from "../audit-entry.ts";
import { ownerIn, refuseRole } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { limitTries } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { created, type Run } from "../run.ts";
import { readExpiry, START_LENGTH } from "./stored-key.ts";
import { keyView } from "./view.ts";

/** The answer shows the key once; it is not stored. */
export const createKey: Run<typeof contract> = async (ctx, caller, { body }) => {
  const owner = ownerIn(caller);
  const { userId, workspaceId } = owner;
  await limitTries(ctx, { account: ["key_workspace", workspaceId] });
  const createdAt = ctx.now();
  const { name, channels = null } = body;
  const expiresAt = readExpiry(body.expires_at, createdAt);
  if (channels !== null) {
    const channelRows = await channelsByIds(ctx.databaseOf(workspaceId), workspaceId, channels);
    const knownIds = new Set(channelRows.map(({ id }) => id));
    const unknown = channels.findIndex((id) => !knownIds.has(id));
    if (unknown !== -1) throw refuse("unknown_channel", { field: `/channels/${unknown}` });
  }
  await requireFactor(ctx, owner);
  const key = makeWorkspaceKey(ctx.entropy);
  const row = {
    workspaceId,
    id: makeId("key", createdAt, ctx.entropy),
    hash: await sha256Hex(key),
    start: key.slice(0, START_LENGTH),
    name,
    scopes: SCOPES.filter((scope) => body.scopes.includes(scope)),
    channels: channels === null ? null : [...new Set(channels)],
    createdBy: userId,
    createdAt,
    lastUsedAt: null,
    expiresAt,
    budget: toMicrosOrNull(body.budget_usd ?? null),
  };
  const entry = makeEntry(ctx, owner, "key.created", {
    target: { id: row.id, name },
    details: {
      scopes: row.scopes.join(" "),
      ...(row.channels === null ? {} : { channels: row.channels.join(" ") }),
      ...(body.budget_usd == null ? {} : { budget_usd: String(body.budget_usd) }),
    },
  });
  const stored = await insertKey(databaseToWrite(ctx, owner, ctx.accounts), row, NAMED_KEYS_MAX, entry);
  if (stored === "not_an_owner") throw refuseRole("manage_key");
  if (stored === "too_many") throw refuse("too_many_keys");
  return created({ ...keyView(row), key });
};
