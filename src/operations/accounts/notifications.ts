import type { readNotifications as read, setNotifications as set } from "../../contract/notifications.ts";
import { refuse } from "../../domain/refusal.ts";
import * as store from "../../store/accounts/notifications.ts";
import { inWorkspace, signedIn } from "../caller.ts";
import { ok, type Run } from "../run.ts";

export const readNotifications: Run<typeof read> = async (ctx, caller) => {
  const settings = await store.readNotifications(
    ctx.accounts,
    inWorkspace(caller).workspaceId,
    signedIn(caller).userId,
  );
  if (settings === undefined) throw refuse("not_a_member");
  return ok(settings);
};

export const setNotifications: Run<typeof set> = async (ctx, caller, { body }) => {
  const { workspaceId } = inWorkspace(caller);
  const { userId } = signedIn(caller);
  const standing = await store.readNotifications(ctx.accounts, workspaceId, userId);
  if (standing === undefined) throw refuse("not_a_member");
  const { version_ending = standing.version_ending, mentioned = standing.mentioned } = body;
  const preferences = { ...body, version_ending, mentioned, queue_low: body.queue_low ?? standing.queue_low };
  const isSet = await store.setNotifications(ctx.accounts, workspaceId, userId, preferences);
  if (!isSet) throw refuse("not_a_member");
  return ok(preferences);
};
