import type { listMembers as contract } from "../../contract/members.ts";
import { openInvitations } from "../../store/accounts/invitations.ts";
import { listMembers as read } from "../../store/accounts/members.ts";
import { memberIn } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { ok, type Run } from "../run.ts";
import { invitationView, memberView } from "./view.ts";

export const listMembers: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = memberIn(caller);
  const before = readCursor(query.cursor, "usr");
  const [memberRows, open] = await Promise.all([
    read(ctx.accounts, workspaceId, query.limit + 1, before),
    openInvitations(ctx.accounts, workspaceId),
  ]);
  const { rows, next } = buildPage(memberRows, query.limit);
  return ok({ members: rows.map(memberView), next, invitations: open.map(invitationView) });
};
