// Checks a new text for a live post. Its files and options stay as they are.
import { type Violation, violation } from "../refusal.ts";
import { contentFor } from "./channel-content.ts";
import { checkText } from "./check-text.ts";
import { getOutgoingText } from "./outgoing-text.ts";
import type { PlatformRule, PostType } from "./platform-rule.ts";
import { getPoll } from "./poll.ts";
import { effectivePostType, type MediaFacts, type PostTarget } from "./post-target.ts";
import { createTextMeter } from "./text-length.ts";

type LivePost = Parameters<typeof contentFor<unknown>>[0] &
  Parameters<typeof getPoll>[0] & { postType: PostType | null };

const UNKNOWN_FILE: MediaFacts = {
  kind: "image",
  contentType: null,
  bytes: null,
  width: null,
  height: null,
  seconds: null,
  alt: null,
};

/** All violations of a new text for a live post on a channel. */
export function checkLiveText({
  text,
  rule,
  post,
  channel,
}: {
  text: string;
  rule: PlatformRule;
  post: LivePost;
  channel: string;
}): Violation[] {
  const { media, options } = contentFor(post, channel);
  const poll = getPoll(post, channel);
  const target: PostTarget = {
    channel,
    rule,
    text: getOutgoingText({ text, options, poll }, rule),
    textField: "/text",
    media: media.map(() => UNKNOWN_FILE),
    mediaField: "/media",
    poll,
    postType: post.postType,
    optionsField: "/options",
    options: [],
  };
  const context = { channel, platform: rule.platform, post_type: effectivePostType(target) };
  const empty = text.trim() === "" ? [violation("text_required", { field: "/text" })] : [];
  return [...empty, ...checkText(target, createTextMeter())].map((problem) => ({
    ...problem,
    ...context,
    hint: describeFix(problem),
  }));
}

/** The hints for a post that is not live name `overrides`, which an edit does not have. */
function describeFix({ code, over_by, unit, at_least }: Violation): string {
  if (code === "text_required") return "An edit cannot remove the text. Take the post down instead.";
  if (over_by === undefined) return "Use other characters.";
  return `Remove ${at_least ? "at least " : ""}${over_by} ${unit}.`;
}
