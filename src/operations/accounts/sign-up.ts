import { sha256Hex } from "../../adapters/digest.ts";
import type { signUp as contract } from "../../contract/accounts.ts";
import { violatesUnique } from "../../domain/database-fault.ts";
import { makeId } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { Refusal, refuse } from "../../domain/refusal.ts";
import { insertUser, insertWorkspace } from "../../store/accounts/accounts.ts";
import { insertSession } from "../../store/accounts/sessions.ts";
import { holds, isMade, maySignUp } from "../../store/accounts/sign-up.ts";
import { makeSignInEntry } from "../audit-entry.ts";
import { limitTries } from "../rate-limit.ts";
import { created, type Run } from "../run.ts";
import { newWorkspace } from "../workspaces/new-workspace.ts";
import { unplaceWorkspace } from "../workspaces/place.ts";
import { requireTimezone } from "../workspaces/require-timezone.ts";
import { refuseCommon } from "./common-password.ts";
import { makeSession } from "./make-session.ts";
import { userView, workspaceView } from "./views.ts";

/** Creates the user, the first workspace with its key, and a session, all or nothing. */
export const signUp: Run<typeof contract> = async (ctx, _caller, { body }) => {
  if (ctx.seal === null) throw refuse("key_not_configured");
  const email = body.email.toLowerCase();
  refuseCommon(body.password);
  const timezone = requireTimezone(body.timezone ?? "UTC");
  await limitTries(ctx, { address: "signup_address", account: ["signup_account", email] });
  const condition = maySignUp(ctx.settings.signUp, {
    email,
    invitationHash: body.invitation === undefined ? null : await sha256Hex(body.invitation),
    isAddressVerified: false,
  });
  // Checked before the password is hashed: hashing is expensive, and this person may not be allowed to sign up.
  if (!(await holds(ctx.accounts, condition))) throw refuse("sign_up_closed");
  const now = ctx.now();
  const user = {
    id: makeId("usr", now, ctx.entropy),
    email,
    name: body.name ?? null,
    passwordHash: await ctx.passwords.hash(body.password),
    emailVerifiedAt: null,
    createdAt: now,
  };
  const name = body.workspace ?? (body.name === undefined ? "My workspace" : `${body.name}'s workspace`);
  const { workspace, key } = await newWorkspace(ctx, { name, plan: ctx.settings.defaultPlan, timezone });
  const session = await makeSession(ctx);
  const entry = makeSignInEntry(ctx, "sign_up");
  try {
    const [insertedUsers] = await ctx.accounts.batch([
      insertUser(ctx.accounts, user, condition),
      ...insertWorkspace(ctx.accounts, workspace, user.id, key),
      ...insertSession(ctx.accounts, { ...session.row, userId: user.id }, entry, isMade(user.id)),
    ]);
    if (insertedUsers.length === 0) throw refuse("sign_up_closed");
  } catch (error) {
    const isTaken = violatesUnique(error, "users.email");
    if (!isTaken && !(error instanceof Refusal)) throw error;
    unplaceWorkspace(ctx, workspace);
    if (!isTaken) throw error;
    throw refuse("email_taken", { field: "/email" });
  }
  if (ctx.mail !== null) {
    ctx.later(ctx.queue.send([{ kind: "account_mail", about: "verify", user: user.id, email }]));
  }
  return created({
    token: session.token,
    expires_at: isoInstant(session.expiresAt),
    user: userView(user),
    workspaces: [workspaceView({ ...workspace, role: "owner", isOwned: true })],
  });
};
