import type { Context } from "../../context.ts";
import { makeId } from "../../domain/ids.ts";
import { newKey } from "./new-key.ts";

const nothingUsed = { stagedBytes: 0, drafts: 0, draftBytes: 0 };

/** The rows of a new workspace and its key. */
export async function newWorkspace(ctx: Context, facts: { name: string; plan: string; timezone?: string }) {
  const createdAt = ctx.now();
  const id = makeId("ws", createdAt, ctx.entropy);
  const { createdAt: _keyCreatedAt, ...key } = (await newKey(ctx, id)).row;
  const workspace = { id, planStatus: "active" as const, timezone: "UTC", createdAt, ...nothingUsed, ...facts };
  return { workspace, key };
}
