import type { Caller } from "../../context.ts";
import type { describeMedia as contract } from "../../contract/media.ts";
import { altText } from "../../domain/media/types.ts";
import { checkAlt } from "../../domain/posts/check-file.ts";
import { refuse, refuseNotFound, refuseViolations, type Violation } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { Database } from "../../store/db/db.ts";
import { isFixed, mediaByIds, storeAlt } from "../../store/media/media.ts";
import { upcomingUses } from "../../store/media/upcoming-uses.ts";
import { inWorkspace, mayDo, refuseAbility } from "../caller.ts";
import { getReachableChannels, reachesChannel } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const describeMedia: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const here = inWorkspace(caller);
  const { workspaceId } = here;
  if (body.alt === undefined) throw refuse("alt_required", { field: "/alt" });
  const db = ctx.databaseOf(workspaceId);
  // A scheduled post is published with its file's current text. A key that is limited to channels does not see all such
  // posts.
  const ofScheduled = mayDo(caller, "publish") && getReachableChannels(caller) === null;
  const alt = altText(body.alt);
  const broken = alt === null ? [] : await brokenBy(db, caller, params.id, alt);
  if (broken.length > 0) throw refuseViolations(broken);
  const row = await storeAlt(databaseToWrite(ctx, here), { workspaceId, id: params.id, alt, ofScheduled });
  if (row === undefined) {
    if (await isFixed(db, workspaceId, params.id)) {
      throw refuse("media_in_use", {
        message: "A post that waits for approval, or was approved, uses the file: its text stays.",
      });
    }
    const [file] = ofScheduled ? [] : await mediaByIds(db, workspaceId, [params.id]);
    throw file === undefined ? refuseNotFound("file") : refuseAbility(caller, "publish");
  }
  return ok(mediaView(ctx, row));
};

/** The network rules that a text would break in the upcoming posts of the file. */
async function brokenBy(db: Database, caller: Caller, id: string, alt: string): Promise<Violation[]> {
  const { workspaceId } = inWorkspace(caller);
  const [[file], uses] = await Promise.all([mediaByIds(db, workspaceId, [id]), upcomingUses(db, workspaceId, id)]);
  if (file === undefined) return [];
  const reachableUses = uses.filter(({ channelId }) => reachesChannel(caller, channelId));
  return reachableUses.flatMap(({ platform, channelId: channel, postType, postId }) => {
    const rule = findNetwork(platform)?.rule;
    if (rule === undefined) return [];
    const hint = `Shorten it, or take the file off the channel: ${postId} is scheduled with it.`;
    const broken = checkAlt({ rule, postType }, { kind: file.kind, contentType: file.contentType, alt }, "/alt");
    return broken.map((violation) => ({ ...violation, channel, platform, hint }));
  });
}
