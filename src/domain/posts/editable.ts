// Decides whether a network lets an app edit the text of a live post. The dashboard asks too, so nothing here counts texts.
import { describeScope } from "./option-fit.ts";
import type { PlatformRule, PostType } from "./platform-rule.ts";
import { getPoll } from "./poll.ts";
import { effectivePostType } from "./post-target.ts";

/** Why the text of a live post cannot be edited; null if it can. */
export function whyNotEditable(
  rule: Pick<PlatformRule, "edit" | "platform" | "post_types">,
  post: Parameters<typeof getPoll>[0] & { postType: PostType | null },
  channel: string,
): string | null {
  const { edit } = rule;
  if (!edit.offered) return edit.reason ?? `${rule.platform} does not let an app edit posts.`;
  const { only = {} } = edit;
  const isOfType = only.post_types?.includes(effectivePostType({ rule, postType: post.postType })) ?? true;
  const hasPoll = only.poll === undefined || only.poll === (getPoll(post, channel) !== null);
  return isOfType && hasPoll ? null : `${rule.platform} only lets an app edit ${describeScope(only)}.`;
}
