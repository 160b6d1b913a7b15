// Signs in the user that the sign-in provider names: to their account, or to a new one.
import type { Identity, IdpError } from "../../adapters/idp.ts";
import type { Context } from "../../context.ts";
import { email as emailShape } from "../../contract/accounts.ts";
import { violatesUnique } from "../../domain/database-fault.ts";
import { makeId } from "../../domain/ids.ts";
import { findUserByEmail, insertUser, insertWorkspace, type UserRow } from "../../store/accounts/accounts.ts";
import { listFactors } from "../../store/accounts/factors.ts";
import {
  findByIdentity,
  hasIdentityAt,
  insertIdentity,
  linkProven,
  linkUnproven,
  signInWithIdentity,
} from "../../store/accounts/identities.ts";
import { maySignUp } from "../../store/accounts/sign-up.ts";
import { makeAccountEntry, makeSignInEntry } from "../audit-entry.ts";
import { refuseWithoutFactor } from "../factors/challenge.ts";
import { endConnections } from "../oauth/end-connections.ts";
import { newWorkspace } from "../workspaces/new-workspace.ts";
import { unplaceWorkspace } from "../workspaces/place.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { announceEmptied } from "./announce-emptied.ts";
import { makeSession } from "./make-session.ts";

/** Why a user that the provider authenticated is refused. */
type Refused = Extract<IdpError, "email_not_verified" | "identity_changed" | "sign_up_closed">;

/**
 * Begins a session for the user that the provider names. The user is found by identity first, and then by the address that
 * the provider has verified. Refuses an address that no account may have, and an address whose account has another identity
 * at this provider. Also refuses a new account if an invitation is required and the user has none. `timezone`: the time zone
 * of a new account's first workspace. Throws `factor_required` if the account has a second factor, even if the provider
 * checked a factor of its own.
 */
export async function enterWithIdp(
  ctx: Context,
  identity: Identity,
  timezone: string,
): Promise<{ token: string; expiresAt: number } | Refused> {
  const find = () => findByIdentity(ctx.accounts, identity.issuer, identity.subject);
  const user = (await find()) ?? (await link(ctx, identity, timezone).catch(whoeverWas(find)));
  if (typeof user === "string") return user;
  const { token, expiresAt, row } = await makeSession(ctx);
  const entry = makeSignInEntry(ctx, "provider");
  if (await signInWithIdentity(ctx.accounts, { ...row, userId: user.id }, entry)) {
    // A sign-in may end the person's oldest session.
    await tellHomes(ctx);
    return { token, expiresAt };
  }
  const factors = await listFactors(ctx.accounts, user.id);
  throw await refuseWithoutFactor(ctx, { userId: user.id, sessionHash: null, factors });
}

/** If two first sign-ins run at once, the second finds the account that the first created. */
const whoeverWas = (find: () => Promise<UserRow | undefined>) => async (error: unknown) => {
  const duplicate = violatesUnique(error, "users.email") || violatesUnique(error, "identities.issuer");
  const user = duplicate ? await find() : undefined;
  if (user === undefined) throw error;
  return user;
};

async function link(
  ctx: Context,
  { issuer, subject, name, ...identity }: Identity,
  timezone: string,
): Promise<Pick<UserRow, "id" | "email"> | Refused> {
  // The address is checked before it is lower-cased: lower-casing turns the Kelvin sign into a k, which could match
  // another person's address.
  const address = emailShape.safeParse(identity.email);
  if (!address.success) return "email_not_verified";
  const email = address.data.toLowerCase();
  const createdAt = ctx.now();
  const existing = await findUserByEmail(ctx.accounts, email);
  if (existing !== undefined) {
    // A provider may reassign an address to another user; the account stays with the first.
    if (await hasIdentityAt(ctx.accounts, existing.id, issuer)) return "identity_changed";
    const row = { issuer, subject, userId: existing.id, createdAt };
    if (existing.emailVerifiedAt !== null) await linkProven(ctx.accounts, row);
    else {
      const revokedKeys = await linkUnproven(
        ctx.accounts,
        row,
        makeAccountEntry(ctx, existing.id, "workspace.emptied"),
      );
      await tellHomes(ctx);
      announceEmptied(ctx, email, revokedKeys);
      endConnections(ctx);
    }
    return existing;
  }
  const id = makeId("usr", createdAt, ctx.entropy);
  const { workspace, key } = await newWorkspace(ctx, {
    name: name === null ? "My workspace" : `${name}'s workspace`,
    plan: ctx.settings.defaultPlan,
    timezone,
  });
  const condition = maySignUp(ctx.settings.signUp, { email, invitationHash: null, isAddressVerified: true });
  const user = { id, email, name, passwordHash: null, emailVerifiedAt: createdAt, createdAt };
  const [insertedUsers] = await ctx.accounts.batch([
    insertUser(ctx.accounts, user, condition),
    ...insertWorkspace(ctx.accounts, workspace, id, key),
    insertIdentity(ctx.accounts, { issuer, subject, userId: id, createdAt }),
  ]);
  if (insertedUsers.length > 0) return { id, email };
  unplaceWorkspace(ctx, workspace);
  return "sign_up_closed";
}
