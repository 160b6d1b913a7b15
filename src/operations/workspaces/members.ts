import type * as z from "zod";
import { log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import type {
  addMember as add,
  listMembers as list,
  Member,
  removeMember as remove,
} from "../../contract/workspaces.ts";
import { isoInstant } from "../../domain/instant.ts";
import { letter } from "../../domain/letter.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findUserByEmail } from "../../store/accounts/accounts.ts";
import * as store from "../../store/accounts/workspaces.ts";
import { signedIn } from "../caller.ts";
import { pageOf, readCursor } from "../cursor.ts";
import { endConnections } from "../oauth/end-connections.ts";
import { created, noContent, ok, type Run } from "../run.ts";
import { memberOf, ownerOf } from "./member-of.ts";

function memberView({ createdAt, ...row }: store.MemberRow): z.input<typeof Member> {
  return { ...row, created_at: isoInstant(createdAt) };
}

export const listMembers: Run<typeof list> = async (ctx, caller, { params, query }) => {
  await memberOf(ctx, params.id, signedIn(caller).userId);
  const found = await store.listMembers(ctx.accounts, params.id, query.limit + 1, readCursor(query.cursor, "usr"));
  const { rows, next } = pageOf(found, query.limit);
  return ok({ members: rows.map(memberView), next });
};

export const addMember: Run<typeof add> = async (ctx, caller, { params, body }) => {
  await ownerOf(ctx, params.id, signedIn(caller).userId);
  const user = await findUserByEmail(ctx.accounts, body.email.trim().toLowerCase());
  if (user === undefined)
    throw refuse("not_found", { field: "/email", message: "Not found: no account with this email address." });
  const { member, isNew } = await store.addMember(ctx.accounts, params.id, user.id);
  if (member === undefined) throw refuseNotFound("member");
  return isNew ? created(memberView(member)) : ok(memberView(member));
};

const KEY_SEEN =
  "They have seen the workspace key, which still opens the workspace. Replace it: `POST /v1/workspaces/:id/key/rotate`.";

/** Who leaves by themselves leaves the key with nobody to be told in an answer. */
async function mailOwners(ctx: Context, workspaceId: string): Promise<void> {
  const { mail } = ctx;
  if (mail === null) return;
  const subject = "Somebody has left your Crier workspace who knows its key";
  const text = `A member has left the workspace ${workspaceId}. ${KEY_SEEN}`;
  for (const to of await store.ownersOf(ctx.accounts, workspaceId)) {
    ctx.later(mail.send(letter(to, subject, [text])));
  }
}

/** By the owner, or by the member. The workspace's key stays as it is: programs would stop in the middle of a post. */
export const removeMember: Run<typeof remove> = async (ctx, caller, { params }) => {
  const { userId } = signedIn(caller);
  const { role } = await memberOf(ctx, params.id, userId);
  if (role === "owner" && params.user === userId) throw refuse("owner_stays");
  if (role !== "owner" && params.user !== userId) throw refuse("not_the_owner");
  const removed = await store.removeMember(ctx.accounts, params.id, params.user);
  if (removed === undefined) throw refuseNotFound("member");
  endConnections(ctx);
  if (!removed.keySeen) return noContent;
  log("warn", "removed_member_has_key", { workspace: params.id });
  if (role === "owner") return ok({ key_seen: true, hint: KEY_SEEN });
  await mailOwners(ctx, params.id);
  return noContent;
};
