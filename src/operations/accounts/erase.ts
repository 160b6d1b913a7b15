import type { Context } from "../../context.ts";
import type { erase as contract } from "../../contract/accounts.ts";
import { buildDashboardLink } from "../../domain/dashboard-link.ts";
import { makeId } from "../../domain/ids.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser } from "../../store/accounts/accounts.ts";
import { type Erased, type Erasure, eraseUser } from "../../store/accounts/delete-workspaces.ts";
import { othersIn } from "../../store/accounts/members.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { KEY_SEEN, tellKeySeen } from "../members/key-seen.ts";
import { noContent, type Run } from "../run.ts";
import { tellByMail } from "../tell-by-mail.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { endWorkspaces } from "./end-workspaces.ts";
import { provePassword } from "./prove-password.ts";

/** Deletes all rows in one transaction. Members who stay in a shared workspace are notified by mail. */
export const erase: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId, tokenHash } = signedIn(caller);
  const heirs = Object.entries(body.heirs ?? {}).map(([workspaceId, heir]) => ({ workspaceId, userId: heir }));
  const entry = makeAccountEntry(ctx, userId, "member.removed", { reason: "account_erased" });
  const heirsEntryId = makeId("aud", entry.at, ctx.entropy);
  const eraseNow = async (verified: string | null) => {
    await requireFactor(ctx, { userId, tokenHash });
    const erased = await eraseOrRefuse(ctx, { entry, heirsEntryId, heirs, verified });
    if (erased === null) return false;
    await Promise.all([endWorkspaces(ctx, erased), tellHomes(ctx)]);
    ctx.later(tellOthers(ctx, userId, erased));
    return true;
  };
  if (body.password === undefined) await eraseNow(null);
  else await provePassword(ctx, { userId, tokenHash }, body.password, "/password", eraseNow);
  return noContent;
};

/** Returns null if the password has been replaced in the meantime. */
async function eraseOrRefuse(ctx: Context, erasure: Erasure): Promise<Erased | null> {
  const outcome = await eraseUser(ctx.accounts, erasure);
  if (outcome.is === "erased") return outcome;
  if (outcome.is === "other_password") return null;
  const field = `/heirs/${outcome.workspaceId}`;
  throw refuse("invalid_field", {
    field,
    message: `\`${field}\` does not name another member of a workspace that you own.`,
  });
}

async function tellOthers(ctx: Context, erasedId: string, { heirs, offered, keySeen }: Erased): Promise<void> {
  for (const { workspaceId, userId } of heirs) {
    const heir = await findUser(ctx.accounts, userId);
    if (heir === undefined) continue;
    const text =
      `An owner of the workspace ${workspaceId} has erased their account and made you its owner. ` +
      "You can make another member its owner or delete the workspace.";
    tellByMail(ctx, [heir.email], "You now own a Crier workspace", text);
  }
  for (const workspaceId of offered) {
    const text =
      `The last owner of the workspace ${workspaceId} has erased their account. Your role has not changed. The first member ` +
      "who accepts becomes its owner:";
    const link = { link: buildDashboardLink(ctx.settings.dashboardUrl, "/settings/members", workspaceId) };
    const paragraphs = keySeen.includes(workspaceId) ? [text, link, KEY_SEEN] : [text, link];
    const members = await othersIn(ctx.accounts, workspaceId, erasedId);
    tellByMail(ctx, members, "Your Crier workspace needs a new owner", ...paragraphs);
  }
  for (const workspaceId of keySeen) await tellKeySeen(ctx, workspaceId);
}
