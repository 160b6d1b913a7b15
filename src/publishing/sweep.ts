// One look at all that is due and that nobody holds, whatever forgot it: an alarm, a queue, a process.
import type { Context } from "../context.ts";
import { workspacesToClear } from "../store/accounts.ts";
import { channelsToRenew } from "../store/channels.ts";
import { dueChecks } from "../store/checks.ts";
import { forgetIdleClients } from "../store/oauth-clients.ts";
import { forgetExpiredGrants } from "../store/oauth-grants.ts";
import { overdueChannels } from "../store/overdue.ts";
import { forgetOldAttempts, overdueWebhooks } from "../store/webhooks.ts";
import { sendChecks } from "./channel-jobs.ts";
import { endConnections } from "./end-connections.ts";

/** Work that is younger is still on its ordinary way. */
const GRACE_MS = 30_000;
const CHANNELS_MAX = 1_000;
const CLEARANCES_MAX = 100;
const RENEWALS_MAX = 200;
const CHECKS_MAX = 1_000;
const WEBHOOKS_MAX = 500;
const FORGOTTEN_MAX = 5_000;
const GRANTS_MAX = 1_000;

/**
 * Puts channels with overdue work or a credential to renew, due checks and erased workspaces onto the queue, wakes the
 * voices of webhooks, and forgets old attempts and what people gave to programs and has expired. Returns how many channels
 * had overdue work.
 */
export async function sweep(ctx: Context): Promise<number> {
  let found = 0;
  for (const db of ctx.databases) {
    const overdue = await overdueChannels(db, GRACE_MS, CHANNELS_MAX);
    found += overdue.length;
    await ctx.queue.send(
      overdue.map(({ workspaceId, channelId }) => ({ kind: "channel", workspace: workspaceId, channel: channelId })),
    );
  }
  for (const db of ctx.databases) {
    const idle = await channelsToRenew(db, RENEWALS_MAX);
    await ctx.queue.send(
      idle.map(({ workspaceId, id }) => ({ kind: "renew_channel", workspace: workspaceId, channel: id })),
    );
  }
  for (const db of ctx.databases) {
    for (const { workspaceId, webhookId } of await overdueWebhooks(db, GRACE_MS, WEBHOOKS_MAX)) {
      await ctx.webhooks.wake(workspaceId, [webhookId]);
    }
    await forgetOldAttempts(db, FORGOTTEN_MAX);
  }
  for (const db of ctx.databases) await sendChecks(ctx, await dueChecks(db, CHECKS_MAX));
  await forgetExpiredGrants(ctx.accounts, GRANTS_MAX);
  await forgetIdleClients(ctx.accounts, GRANTS_MAX);
  await endConnections(ctx);
  const erased = await workspacesToClear(ctx.accounts, CLEARANCES_MAX);
  await ctx.queue.send(erased.map((workspace) => ({ kind: "clear_workspace", workspace })));
  return found;
}
