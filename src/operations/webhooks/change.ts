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
  const { href: url, origin } = address ?? new URL(row.url);
  const events = body.events === undefined ? row.events : [...new Set(body.events)];
  const isMoved = url !== row.url;
  const entry = makeEntry(ctx, workspaceCaller, "webhook.changed", {
    target: { id: row.id, name: origin },
    details: body.events === undefined ? {} : { events: events.join(" ") },
  });
  const changed = await updateWebhook(
    databaseToWrite(ctx, workspaceCaller),
    row.id,
    { url, events, ...(isMoved ? STARTS_ENABLED : {}) },
    entry,
  );
  if (changed === undefined) throw refuseNotFound("webhook");
  return ok({ ...webhookView(changed, true), warnings: address === null ? [] : ctx.outbound.warn(address) });
};
