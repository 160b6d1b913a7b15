import { sha256Hex } from "../../adapters/digest.ts";
import type { reset as contract } from "../../contract/accounts.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { listMemberships, useResetLink } from "../../store/accounts/accounts.ts";
import { listFactors } from "../../store/accounts/factors.ts";
import { makeSignInEntry } from "../audit-entry.ts";
import { refuseWithoutFactor } from "../factors/challenge.ts";
import { endConnections } from "../oauth/end-connections.ts";
import { limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { announceEmptied } from "./announce-emptied.ts";
import { refuseCommon } from "./common-password.ts";
import { makeSession } from "./make-session.ts";
import { userView, workspaceView } from "./views.ts";

export const reset: Run<typeof contract> = async (ctx, _caller, { body }) => {
  await limitTries(ctx, { address: "reset_address", account: ["reset_token", body.token] });
  refuseCommon(body.password);
  const { token, expiresAt, row: session } = await makeSession(ctx);
  const passwordHash = await ctx.passwords.hash(body.password);
  const used = await useResetLink(ctx.accounts, await sha256Hex(body.token), passwordHash, {
    session,
    entry: makeSignInEntry(ctx, "reset"),
  });
  if (used === undefined) throw refuse("reset_link_invalid", { field: "/token" });
  const { user, wasUnproven, isSignedIn, revokedKeys } = used;
  await tellHomes(ctx);
  if (wasUnproven) announceEmptied(ctx, user.email, revokedKeys);
  endConnections(ctx);
  if (!isSignedIn) {
    const factors = await listFactors(ctx.accounts, user.id);
    const request = { userId: user.id, sessionHash: null, factors };
    throw await refuseWithoutFactor(ctx, request, "The new password is set. To sign in, show your second factor.");
  }
  return ok({
    token,
    expires_at: isoInstant(expiresAt),
    user: userView(user),
    workspaces: (await listMemberships(ctx.accounts, user.id)).map(workspaceView),
  });
};
