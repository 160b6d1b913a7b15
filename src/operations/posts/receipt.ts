import { sha256Hex } from "../../adapters/digest.ts";
import type { getReceipt as contract } from "../../contract/receipts.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { buildReceipt } from "../../views/receipt.ts";
import { within } from "../reach.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { getPublishedText } from "./published-text.ts";

export const getReceipt: ReadThenRun<typeof contract, PostWithDeliveries | undefined> = {
  read: (_ctx, db, workspaceId, { params }) => readPost(db, workspaceId, params.id),
  async run(ctx, caller, _input, read) {
    const stored = within(caller, read);
    if (stored === undefined) throw refuseNotFound("post");
    if (ctx.receipts === null) throw refuse("key_not_configured");
    const { workspaceId, channels } = stored.post;
    const rows = await channelsByIds(ctx.databaseOf(workspaceId), workspaceId, channels);
    const now = ctx.now();
    const claims = await buildReceipt({
      issuer: ctx.settings.baseUrl,
      now,
      stored,
      handles: new Map(rows.map(({ id, handle }) => [id, handle])),
      hash: sha256Hex,
      getText: (channelId) => getPublishedText(stored, channelId),
    });
    const receipt = await ctx.receipts.sign(claims, now);
    const [key] = await ctx.receipts.listKeys(now);
    return ok({ receipt, keys: key === undefined ? [] : [key] });
  },
};
