// Refusals in the words of the dashboard; `message` and `hint` of the API are written for programs.
import type { Code } from "../client/calls.ts";

const SENTENCES: { [Name in Code]?: string } = {
  publish_at_in_past: "That time has passed. Pick a later one.",
  publish_at_too_far: "That is more than a year ahead. Pick an earlier time.",
  publish_at_in_dst_gap: "That time is skipped by daylight saving time. Pick another time.",
  factor_required: "This requires your second factor. Try again and confirm that it is you.",
  factor_missing: "This requires a second factor on your account. Set one up under Settings, Account.",
  factor_invalid: "This code is wrong or has already been used. Wait for the next code, or use a recovery code.",
  post_changed: "Someone else has changed this post. Check it again, then repeat your change.",
  post_not_editable: "This post can no longer be changed.",
  post_finished: "This post has already been published.",
};

/** The sentence for a refusal code; null if the dashboard has none and shows the API's message. */
export function findSentence(code: string): string | null {
  return new Map(Object.entries(SENTENCES)).get(code) ?? null;
}
