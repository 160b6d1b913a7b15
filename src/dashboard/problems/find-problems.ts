// The problems of a post.
import type { Channel, Delivery, Post } from "../types.ts";

export type Problem =
  | { kind: "reconnect"; key: string; channel: Channel }
  | { kind: "at_risk"; key: string; post: Post }
  | { kind: "failed"; key: string; post: Post }
  | { kind: "removed"; key: string; post: Post; delivery: Delivery }
  | { kind: "altered"; key: string; post: Post; delivery: Delivery };

type Outcome = Pick<Delivery, "status" | "removed_by" | "readback">;

/** What is wrong with a post that is out, and on which channel. A failure comes first, because it is the most urgent. */
export function decideProblem<Of extends Outcome>(
  deliveries: readonly Of[],
): { kind: "failed" | "removed" | "altered"; delivery: Of } | null {
  const failed = deliveries.find(({ status }) => status === "failed");
  if (failed !== undefined) return { kind: "failed", delivery: failed };
  const removed = deliveries.find(({ removed_by: by }) => by === "network");
  if (removed !== undefined) return { kind: "removed", delivery: removed };
  const altered = deliveries.find(({ status, readback }) => status === "live" && readback?.state === "altered");
  return altered === undefined ? null : { kind: "altered", delivery: altered };
}

/** The problem of a post, or none. */
export function findProblems(post: Post): Problem[] {
  const problem = decideProblem(post.deliveries);
  if (problem === null) return [];
  const { kind, delivery } = problem;
  // A failure that happens again is another problem.
  if (kind === "failed") return [{ kind, key: `${post.id}-${post.updated_at}`, post }];
  return [{ kind, key: `${post.id}-${delivery.channel}-${kind}`, post, delivery }];
}
