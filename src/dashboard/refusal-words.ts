// Refusals in the words of the dashboard; `message` and `hint` of the API are written for programs.
import type { Code } from "../client/calls.ts";

const SENTENCES: { [Name in Code]?: string } = {
  publish_at_in_past: "That time has passed. Pick a later one.",
  publish_at_too_far: "That is more than a year ahead. Pick an earlier time.",
  publish_at_in_dst_gap: "The clocks skip that time. Pick another one.",
  factor_required: "This takes your second factor. Try again, and confirm that it is you.",
  factor_missing: "This takes a second factor of your own. Set one up under Settings, Account.",
  factor_invalid: "This code is wrong, or was used before. Wait for the next one, or use a recovery code.",
  post_changed: "Somebody else changed this post in the meantime. Look at it again, then repeat what you did.",
  post_not_editable: "This post cannot be changed any more.",
  post_finished: "This post has already gone out.",
};

/** The sentence for a refusal code; null if the dashboard has none and shows the API's message. */
export function findSentence(code: string): string | null {
  return new Map(Object.entries(SENTENCES)).get(code) ?? null;
}
