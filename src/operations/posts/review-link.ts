import { sha256Hex } from "../../adapters/digest.ts";
import type { createReviewLink as createContract, endReviewLink as endContract } from "../../contract/review-links.ts";
import { base64Url } from "../../domain/encoding.ts";
import { isoInstant } from "../../domain/instant.ts";
import { REVIEW_LINK_LIFE_MS } from "../../domain/limits.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { deleteReviewLink, storeReviewLink } from "../../store/posts/review-links.ts";
import { makeEntry } from "../audit-entry.ts";
import { idOfCaller } from "../name-of.ts";
import { within } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { created, noContent, type ReadThenRun } from "../run.ts";
import { refuseUndecidable } from "./approve.ts";
import { refuseOwnChange } from "./four-eyes.ts";

/** Creates the link of a waiting post, for its current revision. */
export const createReviewLink: ReadThenRun<typeof createContract, PostWithDeliveries | undefined> = {
  read: (_ctx, db, workspaceId, { params }) => readPost(db, workspaceId, params.id),
  async run(ctx, caller, _input, storedPost) {
    const { post } = refuseUndecidable(ctx, within(caller, storedPost));
    const maker = idOfCaller(caller);
    // Any holder of the link can use it, including its maker.
    await refuseOwnChange(ctx, await getWorkspace(ctx.accounts, post.workspaceId), post, [maker]);
    const token = base64Url(ctx.entropy(32));
    const createdAt = ctx.now();
    const expiresAt = createdAt + REVIEW_LINK_LIFE_MS;
    const link = {
      tokenHash: await sha256Hex(token),
      workspaceId: post.workspaceId,
      postId: post.id,
      rev: post.revision,
      contentTag: post.contentTag,
      createdBy: maker,
      createdAt,
      expiresAt,
    };
    const entry = makeEntry(ctx, caller, "review_link.created", { target: { id: post.id, name: null } });
    await storeReviewLink(databaseToWrite(ctx, caller, ctx.accounts), link, entry);
    return created({ url: `${ctx.settings.baseUrl}/review/${token}`, expires_at: isoInstant(expiresAt) });
  },
};

/** Ends the link of a post, whatever the post's status. */
export const endReviewLink: ReadThenRun<typeof endContract, PostWithDeliveries | undefined> = {
  read: (_ctx, db, workspaceId, { params }) => readPost(db, workspaceId, params.id),
  async run(ctx, caller, { params }, storedPost) {
    if (within(caller, storedPost) === undefined) throw refuseNotFound("post");
    const entry = makeEntry(ctx, caller, "review_link.ended", { target: { id: params.id, name: null } });
    await deleteReviewLink(databaseToWrite(ctx, caller, ctx.accounts), params.id, entry);
    return noContent;
  },
};
