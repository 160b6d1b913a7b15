import { makeWebhookSecret, sealWebhookSecret } from "../../adapters/webhook-secrets.ts";
import type { rotateSecret as contract } from "../../contract/webhooks.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { PREVIOUS_SECRET_LIFE_MS, PREVIOUS_SECRETS_MAX, readPreviousSecrets } from "../../domain/webhook.ts";
import { getWebhook, replaceSecret } from "../../store/webhooks/endpoints.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { limitTries } from "../rate-limit.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";

/** If two rotations run at once, the later one builds on the earlier one. */
export const rotateSecret: Run<typeof contract> = async (ctx, caller, { params }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  if (ctx.seal === null) throw refuse("key_not_configured");
  const db = ctx.databaseOf(workspaceId);
  await limitTries(ctx, { account: ["rotate_workspace", `${workspaceId} webhooks`] });
  const secret = makeWebhookSecret(ctx.entropy);
  const sealed = await sealWebhookSecret(ctx.seal, { workspaceId, id: params.id }, secret);
  for (;;) {
    const row = await getWebhook(db, workspaceId, params.id);
    if (row === undefined) throw refuseNotFound("webhook");
    const replaced = { secret: row.secret, until: ctx.now() + PREVIOUS_SECRET_LIFE_MS };
    const still = readPreviousSecrets(row.previousSecrets).filter(({ until }) => until > ctx.now());
    const target = { id: row.id, name: new URL(row.url).origin };
    const entry = makeEntry(ctx, workspaceCaller, "webhook.secret_replaced", { target });
    const previousSecrets = [replaced, ...still].slice(0, PREVIOUS_SECRETS_MAX);
    if (await replaceSecret(databaseToWrite(ctx, workspaceCaller), row, { secret: sealed, previousSecrets }, entry))
      return ok({ secret });
  }
};
