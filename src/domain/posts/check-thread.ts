// Checks whether a channel's network accepts a thread at all. The parts themselves are checked elsewhere, like other texts.
import { type Violation, violation } from "../refusal.ts";
import { effectivePostType, type PostTarget } from "./post-target.ts";

/** The post types that can begin a thread. */
const BEGINS_THREAD: ReadonlySet<string> = new Set(["feed", "carousel"]);

/** The violations of a thread with `parts` further parts after a post target. `field`: the location of the thread. */
export function* checkThread(target: PostTarget, furtherParts: number, field: string): Generator<Violation, void> {
  const { channel, rule } = target;
  const { platform, thread } = rule;
  if (furtherParts === 0) return;
  const type = effectivePostType(target);
  const violationContext = { field, channel, platform, post_type: type };
  const overBy = furtherParts - (thread?.max_parts ?? 0);
  if (thread === undefined) {
    yield violation("thread_not_offered", { ...violationContext, message: `${platform} does not support threads.` });
  } else if (!BEGINS_THREAD.has(type)) {
    const message = `A post of the type ${type} cannot have a thread on ${platform}.`;
    const allowed = rule.post_types.filter((postType) => BEGINS_THREAD.has(postType));
    yield violation("thread_not_offered", { ...violationContext, message, allowed });
  } else if (overBy > 0) {
    yield violation("thread_not_offered", {
      ...violationContext,
      message: `${platform} allows ${thread.max_parts} further parts; this thread has ${furtherParts}.`,
      hint: `Remove ${overBy}, or give this channel its own \`thread\` in \`overrides\`.`,
      limit: thread.max_parts,
      actual: furtherParts,
      unit: "parts",
      over_by: overBy,
    });
  }
}
