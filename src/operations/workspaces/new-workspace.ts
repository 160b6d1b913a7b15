import type { Context } from "../../context.ts";
import { makeId } from "../../domain/ids.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import { newKey } from "./new-key.ts";
import { placeWorkspace } from "./place.ts";

const nothing = {
  stagedBytes: 0,
  drafts: 0,
  draftBytes: 0,
  home: 0,
  approval: "none" as const,
  requireFactor: false,
  fourEyes: false,
  emptiedAt: null,
  feedFrom: 0,
  mediaFit: "exact" as const,
  rechecks: null,
  linkTags: null,
  budget: null,
  brand: null,
  externalId: null,
  externalOwner: null,
  metadata: null,
  rightsEpoch: 0,
  carryVersion: 0,
};

/** The rows of a new workspace and its key, and the key itself. Its home has already been prepared; `unplaceWorkspace` undoes that. */
export async function newWorkspace(
  ctx: Context,
  facts: Pick<WorkspaceRow, "name" | "plan" | "timezone"> &
    Partial<Pick<WorkspaceRow, "externalId" | "externalOwner" | "metadata">>,
) {
  const createdAt = ctx.now();
  const id = makeId("ws", createdAt, ctx.entropy);
  const { key: secret, row: keyRow } = await newKey(ctx, id);
  const { createdAt: _keyCreatedAt, ...key } = keyRow;
  const row = { id, planStatus: "active" as const, createdAt, ...nothing, ...facts };
  return { workspace: await placeWorkspace(ctx, row), key, secret };
}
