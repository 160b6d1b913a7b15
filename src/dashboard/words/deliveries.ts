// How often a delivery was sent, and what became of the work after it.
import { networkName } from "../../domain/network-name.ts";
import type { Delivery } from "../types.ts";
import { count, formatNumber } from "./counts.ts";
import { labelOption } from "./options/index.ts";

const ORDINALS = ["First", "Second", "Third", "Fourth", "Fifth"];

/** "Second try succeeded."; empty if the first try did. */
export function describeAttempts({ attempts, status }: Pick<Delivery, "attempts" | "status">): string {
  const isLive = ["live", "handed_over", "removed"].includes(status);
  if (attempts < 2) return "";
  if (!isLive) return `Tried ${count(attempts, "time")}.`;
  const ordinal = ORDINALS[attempts - 1];
  return ordinal === undefined ? `Succeeded on try ${formatNumber(attempts)}.` : `${ordinal} try succeeded.`;
}

const COMMENT: Record<NonNullable<Delivery["first_comment"]>, string> = {
  pending: "First comment is on its way.",
  posted: "First comment posted.",
  failed: "First comment couldn't be posted.",
  unknown: "First comment may be missing. Check it on the network.",
};
const ADDITION: Record<NonNullable<Delivery["additions"]>[string], string> = {
  pending: "is on its way",
  done: "added",
  failed: "couldn't be added",
  unknown: "may be missing. Check it on the network",
};

/** A sentence for each piece of work after publishing, and for a removal. */
export function describeFollowUps(
  delivery: Pick<Delivery, "platform" | "first_comment" | "additions" | "removed_by">,
): string[] {
  const { platform, first_comment: comment, additions, removed_by: removedBy } = delivery;
  return [
    ...(comment === null ? [] : [COMMENT[comment]]),
    ...Object.entries(additions ?? {}).map(([name, status]) => `${labelOption(platform, name)} ${ADDITION[status]}.`),
    ...(removedBy === null ? [] : [removedBy === "you" ? "You took it down." : `Removed on ${networkName(platform)}.`]),
  ];
}

const TAKEDOWN: Record<NonNullable<Delivery["takedown"]>, (name: string) => string> = {
  pending: (name) => `Taking it down on ${name}.`,
  failed: (name) => `${name} didn't take it down. Delete it there.`,
  unknown: (name) => `${name} hasn't answered. Check there whether it's gone.`,
};
/** The sentence for a takedown that is not done. */
export const describeTakedown = (status: NonNullable<Delivery["takedown"]>, platform: string): string =>
  TAKEDOWN[status](networkName(platform));

const EDIT: Record<NonNullable<Delivery["edit"]>["status"], (name: string) => string> = {
  pending: (name) => `Changing the text on ${name}.`,
  done: (name) => `You changed the text on ${name}. People see this one:`,
  failed: (name) => `${name} didn't change the text. Edit it there.`,
  unknown: (name) => `${name} hasn't answered. Check there which text people see.`,
};
/** The sentence for the last edit of a live text. */
export const describeEdit = (status: NonNullable<Delivery["edit"]>["status"], platform: string): string =>
  EDIT[status](networkName(platform));
