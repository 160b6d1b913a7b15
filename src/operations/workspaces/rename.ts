import type { Context } from "../../context.ts";
import type { renameWorkspace as contract } from "../../contract/workspaces.ts";
import { toMicrosOrNull } from "../../domain/money.ts";
import { type LinkTags, normalizeLinkTags, type WrittenLinkTags } from "../../domain/posts/link-tags.ts";
import { refuse } from "../../domain/refusal.ts";
import { changeSettings } from "../../store/accounts/workspaces.ts";
import { makeEntry } from "../audit-entry.ts";
import { readBrand } from "../brand.ts";
import { memberIn, ownerIn } from "../caller.ts";
import { requireFactor, requireOwnFactor } from "../factors/challenge.ts";
import { databaseToWrite } from "../rights.ts";
import type { Run } from "../run.ts";
import { currentWorkspace } from "./current.ts";
import { tellHomes } from "./tell-homes.ts";

export const renameWorkspace: Run<typeof contract> = async (ctx, caller, { body }) => {
  const owner = ownerIn(caller);
  const { workspaceId } = owner;
  if (owner.kind === "account_key") refuseHumanSettings(body);
  const {
    require_factor: isRequired,
    four_eyes: fourEyes,
    media_fit: mediaFit,
    budget_usd: budgetUsd,
    brand: brandInput,
    link_tags: tags,
    ...facts
  } = body;
  const budget = budgetUsd === undefined ? undefined : toMicrosOrNull(budgetUsd);
  if (isRequired !== undefined) await requireFactorFor(ctx, memberIn(caller), isRequired);
  const brand = brandInput === undefined ? undefined : await readBrand(ctx, workspaceId, brandInput);
  const linkTags = tags === undefined ? undefined : readLinkTags(tags);
  const details = Object.fromEntries(Object.entries(body).map(([setting, value]) => [setting, writeSetting(value)]));
  const entry = makeEntry(ctx, owner, "workspace.changed", { details });
  await changeSettings(
    databaseToWrite(ctx, owner, ctx.accounts),
    { ...facts, fourEyes, mediaFit, budget, brand, linkTags, requireFactor: isRequired },
    entry,
  );
  if ([body.approval, fourEyes, body.rechecks, budget, linkTags].some((setting) => setting !== undefined))
    await tellHomes(ctx, [ctx.homes.homeOf(workspaceId)]);
  return currentWorkspace(ctx, caller, { params: undefined, query: undefined, body: undefined, idempotencyKey: null });
};

/** The settings that decide what people have to do. Only people may change them. */
const HUMAN_SETTINGS = ["approval", "four_eyes", "require_factor"] as const;

function refuseHumanSettings(body: object): void {
  const setting = HUMAN_SETTINGS.find((name) => name in body);
  if (setting === undefined) return;
  throw refuse("key_not_allowed", {
    field: `/${setting}`,
    message: `Account keys may not change \`${setting}\`: that takes a signed-in owner.`,
  });
}

/** Without parameters there is nothing to add to a link. */
const readLinkTags = (tags: WrittenLinkTags | null): LinkTags | null =>
  tags === null || Object.keys(tags.parameters).length === 0 ? null : normalizeLinkTags(tags);

/** A setting's value in the audit log. */
const writeSetting = (value: unknown): string => (value instanceof Object ? JSON.stringify(value) : String(value));

/** An owner who requires a second factor of all members needs one too, or they would be locked out themselves. */
const requireFactorFor = (ctx: Context, person: { userId: string; tokenHash: string }, isRequired: boolean) =>
  isRequired
    ? requireOwnFactor(ctx, person, {
        field: "/require_factor",
        message: "Set up a second factor of your own before you ask the members for theirs.",
      })
    : requireFactor(ctx, person);
