// The deliveries of a post that is accepted, each with what it costs: an estimate that stands from then on.
import { type Cost, wholeCost } from "../../domain/posts/price.ts";
import { readRechecks } from "../../networks/index.ts";
import type { NewDelivery } from "../../store/posts/new-post.ts";
import type { CheckedPost } from "./check.ts";

type Target = CheckedPost["targets"][number];

/** What a target costs that is published at `publishAt` (epoch milliseconds). */
export const costOfTarget = ({ workspace, meter }: CheckedPost, target: Target, publishAt: number): Cost | null =>
  wholeCost([target, ...target.parts], meter, {
    publishAt,
    rechecks: readRechecks(target.rule.platform, workspace.rechecks),
  });

/** A delivery for each target. `idOf`: by channel. */
export const newDeliveries = (
  checked: CheckedPost,
  publishAt: number,
  idOf: (channel: string) => string,
): NewDelivery[] =>
  checked.targets.map((target) => ({
    id: idOf(target.channel),
    channelId: target.channel,
    platform: target.rule.platform,
    rechecks: checked.workspace.rechecks,
    cost: costOfTarget(checked, target, publishAt),
  }));
