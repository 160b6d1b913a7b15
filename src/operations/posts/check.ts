// Checks a whole post, using the data that was read for it. Writes nothing: a dry run and the real call share this code.
import type { Context, Reviewer } from "../../context.ts";
import { whyUnusable } from "../../domain/channel.ts";
import { checkPublishAt, readInstant } from "../../domain/instant.ts";
import { NEXT_SLOT } from "../../domain/next-slot.ts";
import { getPlan } from "../../domain/plan.ts";
import { checkQuiz } from "../../domain/posts/check-poll.ts";
import { checkTarget } from "../../domain/posts/check-post.ts";
import { checkSpoilers } from "../../domain/posts/check-spoilers.ts";
import { checkThread } from "../../domain/posts/check-thread.ts";
import { readOwnTimes } from "../../domain/posts/own-time.ts";
import type { PostTarget } from "../../domain/posts/post-target.ts";
import { createTextMeter, type TextMeter } from "../../domain/posts/text-length.ts";
import type { Warning } from "../../domain/posts/warning.ts";
import { refuse, refuseViolations, type Violation, violation } from "../../domain/refusal.ts";
import { findNetwork, readApi } from "../../networks/index.ts";
import type { Network } from "../../networks/network.ts";
import type { WorkspaceRow } from "../../store/accounts/accounts.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import type { Inspection, MediaRow } from "../../store/media/media.ts";
import type { Spent } from "../../store/posts/spending.ts";
import type { SlotWish } from "../../store/slots.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { channelFacts } from "../channels/view.ts";
import { reachesChannel } from "../reach.ts";
import { refuseAfterWait } from "../rights.ts";
import { type FilePlans, planTarget, readTraits, refuseWithoutImages } from "./adapted-targets.ts";
import { withChannelIds } from "./channel-names.ts";
import { checkOptions } from "./check-options.ts";
import { checkReferences } from "./check-references.ts";
import { checkRepeat, checkVariations } from "./check-repeat.ts";
import { checkArrived, checkUploads, contentTag, type Inspected, inspectUploads } from "./inspect.ts";
import { checkOwnTimes, resolveOwnTimes } from "./own-times.ts";
import { checkMode } from "./post-mode.ts";
import { type CheckMaterial, mediaLists, mediaNamed, type PostBody } from "./read-for-check.ts";
import { tagBody, withLinkTags } from "./tagged-body.ts";
import { buildTarget, buildThreadPartTargets, type ChannelTarget, placed, threadField } from "./targets.ts";
import { warnOfDelivery, warnOfDuplicate, warnOfFullDays, warnOfRepeatedText } from "./warnings.ts";

/** A post that may be published as it is. */
export interface CheckedPost {
  workspace: WorkspaceRow;
  targets: (ChannelTarget & {
    network: Network;
    lane: number;
    filePlans: FilePlans;
    /** The thread parts after the first. */
    threadParts: (ChannelTarget & { filePlans: FilePlans })[];
    /** The channel's own time in epoch milliseconds; null: the post's. */
    ownTime: number | null;
  })[];
  /** The body, with the own times of its channels as instants. */
  body: PostBody;
  /** The slots that single channels take; each must still be free when the post is written. */
  ownSlots: SlotWish[];
  /** The post's own files and those of its overrides, each once. */
  mediaUsed: string[];
  /** Epoch milliseconds; null: now, or for a draft on release, or in the next slot. */
  publishAt: number | null;
  /** Whether it is to be published in the next free slot. */
  inNextSlot: boolean;
  now: number;
  month: string;
  postsUsed: number;
  spent: Spent;
  /**
   * The warnings for a post that is published at `dueAt` (epoch milliseconds). `postId`: null while it is not written.
   */
  warningsAt(dueAt: number, postId: string | null): Promise<Warning[]>;
  /** Counts the texts of the targets. */
  meter: TextMeter;
  /** The inspections of files that had not been inspected before. */
  inspections: Inspection[];
  /** The rows of its files, with all known facts. */
  files: MediaRow[];
  /** See `contentTag`. */
  content: string | null;
}
export interface CheckHow {
  judgeTime?: boolean;
  readNames?: boolean;
  files?: "any" | "arrived" | "copied";
  looked?: Inspected;
  acceptedTimes?: ReadonlyMap<string, number>;
  judgeChannels?: boolean;
}

/**
 * Checks a post. Throws all violations at once (422), or a 409 if a channel cannot publish. `judgeTime`: false if the
 * time was accepted before and does not change. `readNames`: false omits the ids of intended channels, which need a
 * read. `files`: whether its uploads must have arrived, and files at addresses must be copied. `looked`: the inspections
 * of the files, if already known. `acceptedTimes`: the own times of channels that were accepted before, which are judged
 * again only if they change. `judgeChannels`: false accepts channels that cannot publish at the moment.
 */
export async function checkPost(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  written: PostBody,
  material: CheckMaterial,
  {
    judgeTime = true,
    readNames = true,
    files = "any",
    looked,
    acceptedTimes = new Map(),
    judgeChannels = true,
  }: CheckHow = {},
): Promise<CheckedPost> {
  const { workspace, now, month } = material;
  if (workspace === undefined) throw refuse("unauthorized");
  const body = withLinkTags(written, workspace);
  refuseWithoutImages(ctx, body);

  const channels = new Map(
    material.channels.filter(({ id }) => reachesChannel(caller, id)).map((row) => [row.id, row]),
  );
  const uploads = looked ?? (await inspectUploads(ctx, material.media));
  // The bucket may have taken its time, so the caller's rights are checked again.
  if (looked === undefined && uploads.inspected > 0) await refuseAfterWait(ctx, caller);
  const media = new Map(uploads.rows.map((row) => [row.id, row]));
  const inNextSlot = body.publish_at === NEXT_SLOT;
  const read =
    body.publish_at == null || inNextSlot ? null : readInstant(body.publish_at, workspace.timezone, "/publish_at");
  const publishAt = typeof read === "number" ? read : null;
  const own = checkOwnTimes(body, { timezone: workspace.timezone, now, accepted: acceptedTimes });
  const repeat = checkRepeat(body.repeat, { timezone: workspace.timezone, now: judgeTime ? now : 0 });
  const violations: Violation[] = [
    ...checkReferences(body, channels, media),
    ...checkUploads(mediaLists(body), uploads),
    ...(isNeeded(files, body) ? checkArrived(mediaLists(body), uploads, files === "copied") : []),
    ...(typeof read === "number" ? [judgeTime ? checkPublishAt(read, now, "/publish_at") : null] : [read]).filter(
      (broken) => broken !== null,
    ),
    ...own.broken,
    ...repeat.broken,
  ];
  const traits = body.media_fit === "adapt" ? await readTraits(ctx, uploads.rows) : null;
  const plan = <Target extends ChannelTarget>(channelTarget: Target) => {
    const { target, ...filePlans } = planTarget(channelTarget, traits);
    return { ...target, filePlans };
  };
  const targets = (body.channels ?? []).flatMap((id) => {
    const channel = channels.get(id);
    const network = channel && findNetwork(channel.platform);
    if (channel === undefined || network === undefined) return [];
    const tagged = tagBody(body, channel, material.ofPost);
    const target = buildTarget(tagged, channel, network, media);
    const threadParts = buildThreadPartTargets(tagged, target, media).map(plan);
    return [{ ...plan(target), threadParts, network, lane: channel.lane, tagged }];
  });
  const meter = createTextMeter();
  for (const target of targets) {
    const broken = [
      ...checkTarget(target, meter).map((problem) => placed(problem, target)),
      ...checkEmpty(body, target),
      ...checkOptions(target.network, target, target.tagged.overrides?.[target.channel], now),
      ...checkQuiz(target, body.overrides?.[target.channel]?.quiz),
      ...checkSpoilers(target, body.overrides?.[target.channel]?.text_spoilers),
      ...checkMode(target.network, channels.get(target.channel), body.overrides?.[target.channel]),
      ...(target.tagged.repeat == null ? [] : checkVariations(target.tagged.repeat, target, meter)),
      ...checkParts(target, meter, threadField(body, target.channel)),
    ];
    violations.push(...(body.draft === true ? broken.filter(({ code }) => !MAY_COME_LATER.has(code)) : broken));
  }
  if (violations.length > 0) {
    throw refuseViolations(readNames ? await withChannelIds(ctx, caller, violations) : violations);
  }
  if (body.draft !== true && judgeChannels) {
    for (const channel of channels.values()) refuseUnusable(channel, now);
  }
  const resolved = await resolveOwnTimes(ctx, { ...body, repeat: repeat.repeat }, { ...material, workspace }, own);
  const ownTimes = readOwnTimes(resolved.body.overrides ?? {});
  const timedTargets = targets.map((target) => ({ ...target, ownTime: ownTimes.get(target.channel) ?? null }));
  return {
    workspace,
    targets: timedTargets,
    ...resolved,
    mediaUsed: mediaNamed(body),
    publishAt,
    inNextSlot,
    now,
    month,
    postsUsed: material.postsUsed,
    spent: material.spent,
    warningsAt: async (dueAt, postId) => {
      const recent = material.recent.filter((post) =>
        post.channels.every((channel) => reachesChannel(caller, channel)),
      );
      return [
        ...warnOfDuplicate(recent, body),
        ...targets.flatMap((target) => warnOfRepeatedText(target, body.repeat)),
        ...timedTargets.flatMap((target) => {
          const channel = channels.get(target.channel);
          const api = readApi(target.network, ctx.settings.apiVersions);
          return warnOfDelivery(
            { target, channel, api, override: body.overrides?.[target.channel], meter },
            target.ownTime ?? dueAt,
          );
        }),
        ...(await warnOfFullDays(
          ctx,
          timedTargets,
          dueAt,
          postId === null ? null : { workspaceId: workspace.id, postId },
        )),
      ];
    },
    meter,
    inspections: uploads.found,
    files: uploads.rows,
    content: await contentTag(uploads.rows),
  };
}

/** Whether the bytes of uploads must have arrived: they are needed if the content is approved or converted. */
const isNeeded = (files: CheckHow["files"], { media_fit: fit, draft, dry_run: isDry }: PostBody) =>
  files !== "any" || (fit === "adapt" && draft !== true && isDry !== true);

/** How many posts the plan allows in a month; null: no limit. */
export function postsAllowed(checked: CheckedPost): number | null {
  return getPlan(checked.workspace.plan).posts_per_month;
}

/** Fields that a draft may still lack; they are checked when it is released. */
const MAY_COME_LATER: ReadonlySet<string> = new Set([
  "text_required",
  "media_required",
  "post_type_media_mismatch",
  "option_required",
]);
/** Refuses a thread whose network supports none; otherwise checks each of its parts, and refuses empty ones. */
function* checkParts(
  target: ChannelTarget & { threadParts: ChannelTarget[] },
  meter: TextMeter,
  field: string,
): Generator<Violation, void> {
  const { threadParts, channel, rule } = target;
  const refused = [...checkThread(target, threadParts.length, field)];
  yield* refused;
  if (refused.length > 0) return;
  for (const threadPart of threadParts) {
    for (const problem of checkTarget(threadPart, meter)) yield placed(problem, threadPart);
    if (threadPart.text.trim() === "" && threadPart.media.length === 0)
      yield violation("text_required", { field: threadPart.textField, channel, platform: rule.platform });
  }
}

/** A channel whose own text and files leave nothing to publish. A post that is empty as a whole is reported once. */
function checkEmpty(body: PostBody, target: PostTarget): Violation[] {
  if (target.text.trim() !== "" || target.media.length > 0 || target.poll) return [];
  const { text = "", media = [], media_preview: preview = [], poll } = body;
  if (text.trim() === "" && media.length + preview.length === 0 && !poll) return [];
  const { channel, textField: field } = target;
  return [violation("text_required", { field, channel, platform: target.rule.platform })];
}

/** Throws a 409 if a channel cannot publish. */
export function refuseUnusable(channel: ChannelRow, now: number): void {
  const reason = whyUnusable(channelFacts(channel), now);
  if (reason === null) return;
  const { id, handle, platform } = channel;
  throw refuse(reason, {
    field: "/channels",
    message:
      reason === "channel_not_connected"
        ? `${handle} on ${platform} (${id}) has no credential yet.`
        : `${handle} on ${platform} (${id}) needs to be connected again.`,
  });
}
