// Approval: posts that wait for a decision. None of their deliveries is queued before the decision.
import type { ApprovedContent } from "./post-fields.ts";

/** The posts that need approval: none, those of members who may only draft, or all. */
export const APPROVAL_SETTINGS = ["none", "authors", "all"] as const;
export type ApprovalSetting = (typeof APPROVAL_SETTINGS)[number];

export const APPROVAL_STATES = ["waiting", "approved", "declined"] as const;

/** An approval as it is stored with the post. */
export interface Approval {
  state: (typeof APPROVAL_STATES)[number];
  /** Name of the person who decided; null while the post waits. */
  by: string | null;
  /** Why the post was declined. */
  reason: string | null;
  /** When the approval was requested or decided, in epoch milliseconds. */
  at: number;
  /** The revision of the post that awaits approval, or that the decision was about. */
  rev: number;
}

/** A decision, with the content of the post at that time. */
export interface Decided extends Approval, ApprovedContent {
  /** Epoch milliseconds; null: as soon as it is approved. */
  publishAt: number | null;
  /** The alt text of each file, by its id; undefined for decisions from before this was stored. */
  alts?: Record<string, string | null>;
}

export const waiting = (rev: number, requestedAt: number): Approval => ({
  state: "waiting",
  by: null,
  reason: null,
  at: requestedAt,
  rev,
});

/** The state of a newly queued post, by the setting and the caller's abilities. null: the caller may not queue it at all. */
export function queuedAs(
  setting: ApprovalSetting,
  may: { publish: boolean; draft: boolean },
): "scheduled" | "awaiting_approval" | null {
  if (may.publish) return setting === "all" ? "awaiting_approval" : "scheduled";
  return may.draft && setting !== "none" ? "awaiting_approval" : null;
}
