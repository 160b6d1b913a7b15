// Posts that wait for somebody's word: nothing of them is queued before.
import type { ApprovedContent } from "./post-fields.ts";

/** Whose posts wait: nobody's, those of who may only draft, everybody's. */
export const APPROVAL_SETTINGS = ["none", "authors", "all"] as const;
export type ApprovalSetting = (typeof APPROVAL_SETTINGS)[number];

export const APPROVAL_STATES = ["waiting", "approved", "declined"] as const;

/** As it is stored with the post. */
export interface Approval {
  state: (typeof APPROVAL_STATES)[number];
  /** Who decided, by name; null while it waits. */
  by: string | null;
  /** Why it was declined. */
  reason: string | null;
  /** When it was asked for, or decided; epoch milliseconds. */
  at: number;
  /** The revision of the post that waits, or was decided on. */
  rev: number;
}

/** A decision with what the post was then. */
export interface Decided extends Approval, ApprovedContent {
  /** Epoch milliseconds; null: as soon as it is approved. */
  publishAt: number | null;
  /** The alt text of each file, by its id; undefined: it is from before this was kept. */
  alts?: Record<string, string | null>;
}

export const waiting = (rev: number, at: number): Approval => ({ state: "waiting", by: null, reason: null, at, rev });

/** What becomes of a post that is queued by who may do this. null: they may not queue it at all. */
export function queuedAs(
  setting: ApprovalSetting,
  may: { publish: boolean; draft: boolean },
): "scheduled" | "awaiting_approval" | null {
  if (may.publish) return setting === "all" ? "awaiting_approval" : "scheduled";
  return may.draft && setting !== "none" ? "awaiting_approval" : null;
}
