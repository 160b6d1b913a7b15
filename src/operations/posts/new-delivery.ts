// Builds the deliveries of an accepted post, each with its estimated price, which does not change afterwards.
import { toTerms } from "../../domain/delivery/stored-facts.ts";
import type { Micros } from "../../domain/money.ts";
import { type PostTimes, readTimes } from "../../domain/posts/own-time.ts";
import { type Cost, totalCost, wholeCost } from "../../domain/posts/price.ts";
import { readRechecks } from "../../networks/index.ts";
import type { NewDelivery } from "../../store/posts/new-post.ts";
import type { SlotWish } from "../../store/slots.ts";
import type { CheckedPost } from "./check.ts";

type Target = CheckedPost["targets"][number];

/** When a post is published, as far as is known; epoch milliseconds. */
export const publishingAt = ({ now, publishAt }: CheckedPost, slot: SlotWish | null): number =>
  Math.max(now, slot?.candidates[0] ?? publishAt ?? now);

/** When a target is published, in a post that is published at `publishAt`; both in epoch milliseconds. */
const timeOfTarget = ({ now }: CheckedPost, { ownTime }: Target, publishAt: number): number =>
  ownTime === null ? publishAt : Math.max(now, ownTime);

/** The times of an accepted post. `base`: that of channels without one of their own; null: not known yet. */
export function postTimes({ targets, body, now }: CheckedPost, base: number | null): PostTimes {
  const channels = targets.map(({ channel }) => channel);
  const times = readTimes({ channels, overrides: body.overrides ?? {} }, base);
  return { ...times, own: times.own === null ? null : Math.max(now, times.own) };
}

/** The cost of a target in a post that is published at `publishAt` (epoch milliseconds). */
export const costOfTarget = (checked: CheckedPost, target: Target, publishAt: number): Cost | null =>
  wholeCost([target, ...target.threadParts], checked.meter, {
    publishAt: timeOfTarget(checked, target, publishAt),
    rechecks: readRechecks(target.rule.platform, checked.workspace.rechecks),
  });

/** The cost of all targets that are published at `publishAt` (epoch milliseconds). */
export const costOfPost = (checked: CheckedPost, publishAt: number): Micros =>
  checked.targets.reduce((sum, target) => sum + totalCost(costOfTarget(checked, target, publishAt)), 0);

/** Builds a delivery for each target. `idOf`: by channel. */
export const newDeliveries = (
  checked: CheckedPost,
  publishAt: number,
  idOf: (channel: string) => string,
): NewDelivery[] =>
  checked.targets.map((target) => ({
    id: idOf(target.channel),
    channelId: target.channel,
    platform: target.rule.platform,
    at: target.ownTime === null ? null : Math.max(checked.now, target.ownTime),
    terms: toTerms({ rechecks: checked.workspace.rechecks, cost: costOfTarget(checked, target, publishAt) }),
  }));
