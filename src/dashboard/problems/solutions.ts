// What helps with a failed post: it follows from what its first failed channel needs.
import type { FAILURES, FailureCode } from "../../domain/delivery/failure.ts";
import type { Channel, Delivery } from "../types.ts";

type Solution = "reconnect" | "send_again" | "fix" | "review";
type FailureAction = (typeof FAILURES)[FailureCode]["action"];

/** What helps after a failure. */
const SOLUTIONS: Record<FailureAction, Solution> = {
  reconnect_required: "reconnect",
  reconnect_with_permissions: "reconnect",
  edit_and_resend: "fix",
  upload_media_again: "fix",
  replace_media: "fix",
  reschedule: "fix",
  wait: "send_again",
  check_network_billing: "send_again",
  retry: "send_again",
  contact_operator: "send_again",
  finish_or_take_down: "send_again",
  check_network_before_reposting: "review",
};
const SOLUTIONS_BY_ACTION: ReadonlyMap<string, Solution> = new Map(Object.entries(SOLUTIONS));

/** The solution for the first failed channel. A lost access that has been renewed since needs no further reconnecting. */
export function findSolution(
  deliveries: readonly Pick<Delivery, "channel" | "status" | "action">[],
  channels: readonly Pick<Channel, "id" | "state">[],
): Solution {
  const failed = deliveries.find(({ status }) => status === "failed");
  if (failed === undefined || failed.action === null) return "review";
  const isConnected = channels.some(({ id, state }) => id === failed.channel && state === "connected");
  if (failed.action === "reconnect_required" && isConnected) return "send_again";
  return SOLUTIONS_BY_ACTION.get(failed.action) ?? "review";
}
