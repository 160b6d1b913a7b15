import type { describeMedia as contract } from "../../contract/media.ts";
import { altText } from "../../domain/media/types.ts";
import { checkAlt } from "../../domain/posts/check-file.ts";
import { refuse, refuseNotFound, refuseViolations, type Violation } from "../../domain/refusal.ts";
import { networkOf } from "../../networks/index.ts";
import type { Database } from "../../store/db/db.ts";
import { mediaByIds, storeAlt } from "../../store/media/media.ts";
import { upcomingUses } from "../../store/media/upcoming-uses.ts";
import { inWorkspace, mayDo, refuseRole } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const describeMedia: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { workspaceId } = inWorkspace(caller);
  if (body.alt === undefined) throw refuse("alt_required", { field: "/alt" });
  const db = ctx.databaseOf(workspaceId);
  // A scheduled post goes out with the text that its file has then.
  const ofScheduled = mayDo(caller, "publish");
  const alt = altText(body.alt);
  const broken = alt === null ? [] : await brokenBy(db, workspaceId, params.id, alt);
  if (broken.length > 0) throw refuseViolations(broken);
  const row = await storeAlt(db, { workspaceId, id: params.id, alt, ofScheduled });
  if (row === undefined) {
    const [file] = ofScheduled ? [] : await mediaByIds(db, workspaceId, [params.id]);
    throw file === undefined ? refuseNotFound("file") : refuseRole("publish");
  }
  return ok(mediaView(ctx, row));
};

/** The rules of networks that a text would break on which the file is still to go out. */
async function brokenBy(db: Database, workspaceId: string, id: string, alt: string): Promise<Violation[]> {
  const [[file], uses] = await Promise.all([mediaByIds(db, workspaceId, [id]), upcomingUses(db, workspaceId, id)]);
  if (file === undefined) return [];
  return uses.flatMap(({ platform, channelId: channel, postType, postId }) => {
    const rule = networkOf(platform)?.rule;
    if (rule === undefined) return [];
    const hint = `Shorten it, or take the file off the channel: ${postId} is scheduled with it.`;
    const broken = checkAlt({ rule, postType }, { kind: file.kind, contentType: file.contentType, alt }, "/alt");
    return broken.map((one) => ({ ...one, channel, platform, hint }));
  });
}
