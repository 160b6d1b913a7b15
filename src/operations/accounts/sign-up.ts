import { sha256Hex } from "../../adapters/digest.ts";
import type { signUp as contract } from "../../contract/accounts.ts";
import { makeId, makeWorkspaceKey } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { insertUser, insertWorkspace } from "../../store/accounts.ts";
import { violatesUnique } from "../../store/db.ts";
import { created, type Run } from "../run.ts";
import { beginSession } from "./begin-session.ts";
import { userView, workspaceView } from "./views.ts";

/** Makes the user, the first workspace with its key, and a session: all or nothing. */
export const signUp: Run<typeof contract> = async (ctx, _caller, { body }) => {
  if (ctx.seal === null) throw refuse("key_not_configured");
  const now = ctx.now();
  const user = {
    id: makeId("usr", now, ctx.entropy),
    email: body.email.toLowerCase(),
    name: body.name ?? null,
    passwordHash: await ctx.passwords.hash(body.password),
    emailVerifiedAt: null,
    createdAt: now,
  };
  const workspace = {
    id: makeId("ws", now, ctx.entropy),
    name: body.workspace ?? (body.name === undefined ? "My workspace" : `${body.name}'s workspace`),
    plan: ctx.settings.defaultPlan,
    planStatus: "active" as const,
    timezone: "UTC",
    stagedBytes: 0,
    createdAt: now,
  };
  const key = makeWorkspaceKey(ctx.entropy);
  const keyId = makeId("key", now, ctx.entropy);
  const keyRow = {
    id: keyId,
    hash: await sha256Hex(key),
    sealed: await ctx.seal.close(key, { purpose: "workspace-key", workspace: workspace.id, row: keyId }),
  };
  const session = await beginSession(ctx, user.id);
  try {
    await ctx.accounts.batch([
      insertUser(ctx.accounts, user),
      ...insertWorkspace(ctx.accounts, workspace, user.id, keyRow),
      ...session.statements,
    ]);
  } catch (error) {
    if (violatesUnique(error, "users.email")) throw refuse("email_taken", { field: "/email" });
    throw error;
  }
  return created({
    token: session.token,
    expires_at: isoInstant(session.expiresAt),
    user: userView(user),
    workspaces: [workspaceView({ ...workspace, role: "owner" })],
  });
};
