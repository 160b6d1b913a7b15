import { readUnsubscribeToken } from "../../adapters/unsubscribe-token.ts";
import type { Context } from "../../context.ts";
import type { NotificationKind } from "../../domain/notification.ts";
import { turnOff } from "../../store/accounts/notifications.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";

/** The kind of mail that an unsubscribe address turns off. */
export interface Subscription {
  kind: NotificationKind;
  /** null: the workspace is gone. */
  workspace: string | null;
}

/** null: the address is not a valid unsubscribe address. */
export async function describeSubscription(ctx: Context, token: string): Promise<Subscription | null> {
  const subscription = await readUnsubscribeToken(ctx.seal, token);
  if (subscription === null) return null;
  const workspace = await getWorkspace(ctx.accounts, subscription.workspaceId);
  return { kind: subscription.kind, workspace: workspace?.name ?? null };
}

/** Turns that kind of mail off. Idempotent. */
export async function unsubscribe(ctx: Context, token: string): Promise<Subscription | null> {
  const subscription = await readUnsubscribeToken(ctx.seal, token);
  if (subscription !== null)
    await turnOff(ctx.accounts, subscription.workspaceId, subscription.userId, subscription.kind);
  return describeSubscription(ctx, token);
}
