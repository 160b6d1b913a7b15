// A decision on a waiting post by a person without an account, who gives a name.
import type { Context, Reviewer } from "../../context.ts";
import { REASON_LENGTH_MAX, REVIEWER_LENGTH_MAX } from "../../domain/limits.ts";
import { textLength } from "../../domain/posts/text-length.ts";
import { Refusal } from "../../domain/refusal.ts";
import { readStrangerName } from "../../domain/visible-name.ts";
import { approve } from "./approve.ts";
import { decline } from "./decline.ts";
import type { Found } from "./update.ts";

export interface StrangerDecision {
  workspaceId: string;
  postId: string;
  /** The version that the person saw. */
  rev: number;
  contentTag: string;
  decision: "approve" | "decline";
  name: string;
  reason: string;
  /** Ids of the users and keys who take responsibility (-> four-eyes.ts). */
  deciders: readonly string[];
}
export type DecisionResult =
  /** The post awaits no decision. */
  | { is: "closed" }
  /** The post has changed since it was shown. */
  | { is: "changed" }
  /** The post cannot be scheduled as it is. The workspace has to fix the reason. */
  | { is: "refused" }
  /** The person counts as the one who changed the post last, and the workspace requires another person. */
  | { is: "own_change" }
  | { is: "approved"; dueAt: string | null }
  | { is: "declined" };

/** The name of a person without an account, as it is stored; null: it is empty, too long, or passes for another one. */
export function readReviewerName(name: string): string | null {
  const readName = readStrangerName(name);
  const isValid = readName !== null && isText(readName, REVIEWER_LENGTH_MAX) && !/\p{Cc}/u.test(name.trim());
  return isValid ? readName : null;
}

/** A reason to decline, as it is stored; null: it is empty, too long, or has characters that cannot be stored. */
export function readReason(reason: string): string | null {
  const text = reason.replaceAll("\r\n", "\n");
  return isText(text, REASON_LENGTH_MAX) && !text.includes("\0") ? text : null;
}

const isText = (value: string, lengthMax: number) =>
  value.trim() !== "" && textLength(value, { text_unit: "characters" }) <= lengthMax;

/** Decides on exactly the version that was shown. The post's revision in the database decides concurrent decisions. */
export async function decideAsStranger(
  ctx: Context,
  { workspaceId, postId: id, rev, contentTag, decision, name, reason, deciders }: StrangerDecision,
  found: Found,
): Promise<DecisionResult> {
  const reviewer: Reviewer = { kind: "reviewer", name, workspaceId };
  try {
    if (decision === "approve") {
      const { due_at: dueAt } = await approve(ctx, reviewer, { id, rev, contentTag, by: name, deciders }, found);
      return { is: "approved", dueAt };
    }
    await decline(ctx, reviewer, { rev, contentTag, by: name, reason }, found[0]);
    return { is: "declined" };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "post_changed") return { is: "changed" };
    if (error.code === "four_eyes") return { is: "own_change" };
    return { is: error.code === "post_not_waiting" || error.code === "not_found" ? "closed" : "refused" };
  }
}
