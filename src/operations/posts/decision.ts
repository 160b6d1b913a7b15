import type { readDecision as contract } from "../../contract/approvals.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import type { Decided } from "../../domain/posts/approval.ts";
import { showApproved } from "../../domain/posts/post-fields.ts";
import { refuseNotFound } from "../../domain/refusal.ts";
import { joinStatements } from "../../store/db/batch.ts";
import { readDecided } from "../../store/posts/approvals.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { reachesChannel, within } from "../reach.ts";
import { ok, type ReadThenRun } from "../run.ts";

export const readDecision: ReadThenRun<typeof contract, [PostWithDeliveries | undefined, Decided | null]> = {
  read: (_ctx, db, workspaceId, { params: { id } }) =>
    joinStatements(readPost(db, workspaceId, id), readDecided(db, workspaceId, id)),
  async run(_ctx, caller, _input, [post, decided]) {
    if (within(caller, post) === undefined) throw refuseNotFound("post");
    // A decision that involved a channel beyond the caller's reach is hidden too.
    if (decided === null || !decided.channels.every((id) => reachesChannel(caller, id))) return ok({ decision: null });
    const { state, by, reason, at, rev, publishAt, alts = null } = decided;
    const approval = { state, by, reason, at: isoInstant(at), rev };
    return ok({ decision: { ...approval, ...showApproved(decided), publish_at: isoOrNull(publishAt), alts } });
  },
};
