import type { Context } from "../../context.ts";
import { makeId } from "../../domain/ids.ts";
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
  rightsEpoch: 0,
  carryVersion: 0,
};

/** The rows of a new workspace and its key. Its home has already been prepared; `unplaceWorkspace` undoes that. */
export async function newWorkspace(ctx: Context, facts: { name: string; plan: string; timezone: string }) {
  const createdAt = ctx.now();
  const id = makeId("ws", createdAt, ctx.entropy);
  const { createdAt: _keyCreatedAt, ...key } = (await newKey(ctx, id)).row;
  const row = { id, planStatus: "active" as const, createdAt, ...nothing, ...facts };
  return { workspace: await placeWorkspace(ctx, row), key };
}
