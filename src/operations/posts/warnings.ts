// Computes the warnings of a post: facts that are no reason to refuse it, but that its author should know.
import type { Context } from "../../context.ts";
import type { ApiRule } from "../../domain/api-version.ts";
import { isoInstant } from "../../domain/instant.ts";
import { whyNextDay } from "../../domain/posts/app-day.ts";
import type { PostTarget } from "../../domain/posts/post-target.ts";
import type { TextMeter } from "../../domain/posts/text-length.ts";
import { storedThread } from "../../domain/posts/thread.ts";
import { type Warning, warnOfRepeats, warnOfTarget, warnOfVersion } from "../../domain/posts/warning.ts";
import type { Network } from "../../networks/network.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import { countAppPostsOfEach } from "../../store/deliveries/app-posts.ts";
import { warnOfDroppedText } from "./post-mode.ts";
import type { CheckMaterial, PostBody } from "./read-for-check.ts";
import type { ChannelTarget } from "./targets.ts";

/** A post for one channel. */
interface WarnedDelivery {
  target: ChannelTarget & { network: Network; threadParts: ChannelTarget[] };
  channel: ChannelRow | undefined;
  /** The version of the network's API that is called. */
  api: ApiRule;
  override: Record<string, unknown> | undefined;
  meter: TextMeter;
}

/** The warnings of one channel, for a post that goes out at `dueAt` (epoch milliseconds). */
export function warnOfDelivery({ target, channel, api, override, meter }: WarnedDelivery, dueAt: number): Warning[] {
  const count = target.threadParts.length + 1;
  return [
    ...warnOfToken(target, channel, dueAt),
    ...warnOfVersion(target, api, dueAt),
    ...warnOfWait(target, channel, dueAt),
    ...warnOfTarget(target, meter),
    ...warnOfDroppedText(target.network, target, override),
    ...warnOfRepeats(target, target.threadParts),
    ...target.threadParts.flatMap((threadPart, i) => warnOfTarget(threadPart, meter, { part: i + 1, count })),
  ];
}

function warnOfToken(target: PostTarget, channel: ChannelRow | undefined, dueAt: number): Warning[] {
  if (channel?.tokenExpiresAt == null || channel.tokenExpiresAt > dueAt) return [];
  const message = `The token of ${channel.handle} expires before this post is due.`;
  const until = isoInstant(channel.tokenExpiresAt);
  return [{ code: "token_expires_before_publish_at", channel: target.channel, message, until }];
}

/** Warns that a network asks to wait, for its quota or its rate limit. */
function warnOfWait(target: PostTarget, channel: ChannelRow | undefined, dueAt: number): Warning[] {
  if (channel?.notBefore == null || channel.notBefore <= dueAt) return [];
  const until = isoInstant(channel.notBefore);
  const message = `${channel.handle} on ${target.rule.platform} must be left alone until ${until}; the post waits for that.`;
  return [{ code: "network_waits", channel: target.channel, message, until }];
}

/**
 * Warns of channels whose network may accept no more posts from our app on that day. `post`: the post itself, which is not
 * counted; null if it is not written yet.
 */
export async function warnOfFullDays(
  ctx: Context,
  targets: (Pick<PostTarget, "channel" | "rule"> & { ownTime?: number | null })[],
  postDueAt: number,
  post: { workspaceId: string; postId: string } | null,
): Promise<Warning[]> {
  const warned = targets.map(async ({ channel, rule, ownTime }, i): Promise<Warning[]> => {
    const dueAt = ownTime ?? postDueAt;
    const before = targets.slice(0, i).filter((target) => target.rule.platform === rule.platform).length;
    const { platform } = rule;
    const why = await whyNextDay(rule, ctx.settings.appPostsPerDay, { dueAt, before }, (span, limit) =>
      countAppPostsOfEach(ctx.databases, ctx.pause, { platform, ...span, except: post }, limit),
    );
    return why === null ? [] : [{ code: "network_waits", channel, message: `${why.words}.`, until: why.until }];
  });
  return (await Promise.all(warned)).flat();
}

/** Warns if a post duplicates a recent post of the workspace. `recent`: the recent posts that the caller may see. */
export function warnOfDuplicate(recent: CheckMaterial["recent"], body: PostBody): Warning[] {
  const thread = JSON.stringify(storedThread(body.thread));
  const duplicate = recent.find(
    (earlier) =>
      JSON.stringify(earlier.media) === JSON.stringify(body.media ?? []) &&
      JSON.stringify(earlier.thread) === thread &&
      earlier.channels.some((channel) => body.channels?.includes(channel)),
  );
  if (duplicate === undefined) return [];
  const message = `${duplicate.id} has the same text and files and shares a channel.`;
  return [{ code: "possible_duplicate", message, post: duplicate.id }];
}

/** Warns if a network refuses the text that a repeating post publishes again. */
export function warnOfRepeatedText(target: ChannelTarget, repeat: PostBody["repeat"]): Warning[] {
  const { channel, rule, textField } = target;
  const takesTurns = (repeat?.variations ?? []).length > 0 && textField === "/text";
  if (repeat == null || takesTurns || rule.refuses_repeats !== true) return [];
  const message = `${rule.platform} rejects a text that the account has just posted, and this post repeats with the same text. Give \`variations\`.`;
  return [{ code: "identical_repeat", channel, message }];
}
