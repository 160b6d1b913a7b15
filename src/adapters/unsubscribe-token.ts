// The token in the unsubscribe address of a mail. It turns off one kind of mail for one person in one workspace, and grants
// nothing else.
import { isNotificationKind, type NotificationKind } from "../domain/notification.ts";
import type { Seal } from "./seal.ts";

const PLACE = { purpose: "unsubscribe", workspace: "", row: "" } as const;

export interface Unsubscribe {
  userId: string;
  workspaceId: string;
  kind: NotificationKind;
}

/** The token never expires, because people find mails again after years. */
export function makeUnsubscribeToken(seal: Seal, { userId, workspaceId, kind }: Unsubscribe): Promise<string> {
  return seal.seal(`${userId} ${workspaceId} ${kind}`, PLACE);
}

/** null if the token is not ours, was changed, or its sealing key is gone. */
export async function readUnsubscribeToken(seal: Seal | null, token: string): Promise<Unsubscribe | null> {
  const [userId, workspaceId, kind] = (await seal?.unseal(token, PLACE))?.split(" ") ?? [];
  if (userId === undefined || workspaceId === undefined || kind === undefined || !isNotificationKind(kind)) return null;
  return { userId, workspaceId, kind };
}
