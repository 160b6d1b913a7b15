import { makeWebhookSecret, sealWebhookSecret } from "../../adapters/webhook-secrets.ts";
import type { createWebhook as contract } from "../../contract/webhooks.ts";
import { DEFAULT_WEBHOOK_EVENTS } from "../../domain/event.ts";
import { makeId } from "../../domain/ids.ts";
import { WEBHOOKS_MAX } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { insertWebhook } from "../../store/webhooks/endpoints.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { created, type Run } from "../run.ts";
import { admitAddress } from "./admit-address.ts";
import { webhookView } from "./view.ts";

export const createWebhook: Run<typeof contract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  if (ctx.seal === null) throw refuse("key_not_configured");
  const address = await admitAddress(ctx, workspaceCaller, body.url);
  const id = makeId("wh", ctx.now(), ctx.entropy);
  const secret = makeWebhookSecret(ctx.entropy);
  const row = await insertWebhook(
    databaseToWrite(ctx, workspaceCaller),
    {
      workspaceId,
      id,
      url: address.href,
      events: [...new Set(body.events ?? DEFAULT_WEBHOOK_EVENTS)],
      secret: await sealWebhookSecret(ctx.seal, { workspaceId, id }, secret),
      createdAt: ctx.now(),
    },
    WEBHOOKS_MAX,
    makeEntry(ctx, workspaceCaller, "webhook.created", { target: { id, name: address.origin } }),
  );
  if (row === undefined) throw refuse("too_many_webhooks");
  return created({ ...webhookView(row, true), secret, warnings: ctx.outbound.warn(address) });
};
