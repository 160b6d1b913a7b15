// The answer to a dry run: what each channel would publish, when, and at what cost.
import type * as z from "zod";
import type { DryRun } from "../../contract/post-shapes.ts";
import { isoInstant, isoOrNull, localReading } from "../../domain/instant.ts";
import { effectivePostType, type PostTarget, textLimit } from "../../domain/posts/post-target.ts";
import { listNext, storedRepeat } from "../../domain/posts/repeat.ts";
import type { TextMeter } from "../../domain/posts/text-length.ts";
import type { SlotWish } from "../../store/slots.ts";
import { costView } from "../../views/cost.ts";
import { type CheckedPost, postsAllowed } from "./check.ts";
import { costOfTarget, publishingAt } from "./new-delivery.ts";
import { listFiles, plannedFileView } from "./planned-files.ts";

const threadPartPreview = (threadPart: PostTarget, position: number, meter: TextMeter) => ({
  position,
  text: threadPart.text,
  text_length: meter.length(threadPart.text, threadPart.rule),
  text_limit: textLimit(threadPart),
  media: threadPart.media.length,
});

export async function preview(
  checked: CheckedPost,
  status: z.input<typeof DryRun>["status"],
  slot: SlotWish | null,
): Promise<z.input<typeof DryRun>> {
  const { workspace, meter } = checked;
  const publishAt = slot?.candidates[0] ?? checked.publishAt;
  return {
    dry_run: true,
    valid: true,
    status,
    publish_at: isoOrNull(publishAt),
    publish_at_local: publishAt === null ? null : localReading(publishAt, workspace.timezone),
    deliveries: checked.targets.map((target) => ({
      channel: target.channel,
      platform: target.rule.platform,
      text: target.text,
      text_length: meter.length(target.text, target.rule),
      text_limit: textLimit(target),
      text_unit: target.rule.text_unit,
      post_type: effectivePostType(target),
      media: target.media.length,
      poll: target.poll ?? null,
      files: listFiles({ targets: [target] }).map(plannedFileView),
      parts:
        target.threadParts.length === 0
          ? null
          : [target, ...target.threadParts].map((threadPart, i) => threadPartPreview(threadPart, i, meter)),
      ...costView(costOfTarget(checked, target, publishingAt(checked, slot))),
    })),
    repeats_at: listRepeats(checked, publishingAt(checked, slot)),
    counts: { posts_used: checked.postsUsed, posts_allowed: postsAllowed(checked) },
    warnings: await checked.warningsAt(publishAt ?? checked.now, null),
  };
}

/** How many of the next posts a dry run lists. */
const REPEATS_SHOWN = 5;

/** When the next posts would be due, if the post is published at `publishAt` (epoch milliseconds). */
function listRepeats({ body, workspace, now }: CheckedPost, publishAt: number): string[] {
  const repeat = storedRepeat(body.repeat);
  const { timezone } = workspace;
  const { overrides = {} } = body;
  const post = { publishAt, dueAt: publishAt, timezone, overrides, repeat, series: null, lostPosts: null };
  return listNext(post, now, REPEATS_SHOWN).map(isoInstant);
}
