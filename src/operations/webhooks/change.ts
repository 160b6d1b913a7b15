import type { changeWebhook as contract } from "../../contract/webhooks.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { getWebhook, updateWebhook } from "../../store/webhooks/endpoints.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { admitAddress } from "./admit-address.ts";
import { webhookView } from "./view.ts";

/** An endpoint at a new address starts enabled: why the old one was disabled says nothing about it. */
const STARTS_ENABLED = { disabledAt: null, disabledReason: null, failingSince: null };

export const changeWebhook: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const row = await getWebhook(ctx.databaseOf(workspaceId), workspaceId, params.id);
  if (row === undefined) throw refuseNotFound("webhook");
  const address = body.url === undefined ? null : await admitAddress(ctx, workspaceCaller, body.url);
  const events = body.events === undefined ? undefined : [...new Set(body.events)];
  const entry = makeEntry(ctx, workspaceCaller, "webhook.changed", {
    target: { id: row.id, name: (address ?? new URL(row.url)).origin },
    details: events === undefined ? {} : { events: events.join(" ") },
  });
  // Only the named fields are written, so that two changes at once do not undo each other.
  const change = {
    ...(address !== null && address.href !== row.url && { url: address.href, ...STARTS_ENABLED }),
    ...(events !== undefined && { events }),
  };
  if (Object.keys(change).length === 0) return ok({ ...webhookView(row, true), warnings: [] });
  const changed = await updateWebhook(databaseToWrite(ctx, workspaceCaller), row.id, change, entry);
  if (changed === undefined) throw refuseNotFound("webhook");
  return ok({ ...webhookView(changed, true), warnings: address === null ? [] : ctx.outbound.warn(address) });
};
