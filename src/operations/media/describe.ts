import type { Caller } from "../../context.ts";
import type { describeMedia as contract } from "../../contract/media.ts";
import { buildTerms } from "../../domain/media/terms.ts";
import { altText } from "../../domain/media/types.ts";
import { checkAlt } from "../../domain/posts/check-file.ts";
import { refuse, refuseNotFound, refuseViolations, type Violation } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { Database } from "../../store/db/db.ts";
import { isFixed, isScheduled, mediaByIds, storeDescription } from "../../store/media/media.ts";
import { upcomingUses } from "../../store/media/upcoming-uses.ts";
import { inWorkspace, mayDo, refuseAbility, type WorkspaceCaller } from "../caller.ts";
import { getReachableChannels, reachesChannel } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { storePoster } from "./poster.ts";
import { mediaView } from "./view.ts";

export const describeMedia: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const here = inWorkspace(caller);
  const { workspaceId } = here;
  const { poster, ...texts } = body;
  if (Object.values(body).every((value) => value === undefined)) throw refuse("alt_required", { field: "/alt" });
  const db = ctx.databaseOf(workspaceId);
  if (poster !== undefined) {
    const row = await storePoster(ctx, here, params.id, poster);
    if (Object.values(texts).every((value) => value === undefined)) return ok(mediaView(ctx, row));
  }
  // A scheduled post is published with its file's current text. A key that is limited to channels does not see all such
  // posts.
  const ofScheduled = mayDo(caller, "publish") && getReachableChannels(caller) === null;
  const newAlt = altText(body.alt);
  const broken = newAlt === null ? [] : await brokenBy(db, caller, params.id, newAlt);
  if (broken.length > 0) throw refuseViolations(broken);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const [file] = await mediaByIds(db, workspaceId, [params.id]);
    if (file === undefined) throw refuseNotFound("file");
    const alt = body.alt === undefined ? file.alt : newAlt;
    const { name = file.name, tags = file.tags, keep: kept } = body;
    if (kept === true && file.state === "expired") throw refuseExpired();
    const description = { kept, alt, name, tags, terms: buildTerms({ kind: file.kind, alt, name, tags }) };
    const row = await storeDescription(databaseToWrite(ctx, here), file, description, { ofScheduled });
    if (row !== undefined) return ok(mediaView(ctx, row));
    if (alt !== file.alt) await refuseFixedAlt(db, here, { id: params.id, ofScheduled });
  }
  throw refuse("rate_limited", { headers: { "Retry-After": "1" } });
};

const refuseExpired = () =>
  refuse("unknown_media", { field: "/keep", message: "Crier's copy of this file is deleted, so it cannot be kept." });

/** How often a change is repeated that lost a race with another change of the same file. */
const TRIES_MAX = 5;

/** Throws if the alt text of a file may not be changed by the caller. */
async function refuseFixedAlt(
  db: Database,
  caller: WorkspaceCaller,
  { id, ofScheduled }: { id: string; ofScheduled: boolean },
): Promise<void> {
  if (await isFixed(db, caller.workspaceId, id)) {
    throw refuse("media_in_use", {
      message: "A post that waits for approval, or was approved, uses the file: its text stays.",
    });
  }
  if (!ofScheduled && (await isScheduled(db, caller.workspaceId, id))) throw refuseAbility(caller, "publish");
}

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
