// What the service says about the draft, and how much room each channel's text has left.
import { useDeferredValue, useMemo } from "react";
import { useSession } from "../session.tsx";
import type { Channel, Post, Rule } from "../types.ts";
import { buildPostBody, type Draft, hasContent } from "./draft.ts";
import { useJudgement } from "./judge.ts";
import { findRoom } from "./rooms.ts";
import { locateViolation, readViolations, type Violation } from "./violations.ts";

interface Checked {
  draft: Draft;
  /** The edited post. */
  kept: Post | undefined;
  /** The chosen channels. */
  channels: Channel[];
  findRule(platform: string): Rule | undefined;
  /** The refusal of the last attempt to send the draft. */
  refusal: unknown;
}

export function useChecks({ draft, kept, channels, findRule, refusal }: Checked) {
  const { whyNot, queued } = useSession();
  const isJudged = whyNot("draft") === null && channels.length > 0 && hasContent(draft);
  // A person who may not publish is told what their draft violates.
  const ending = queued === null ? "draft" : draft.at === "" ? "now" : "time";
  const { judgement, isCurrent, error } = useJudgement(isJudged ? buildPostBody(draft, ending, kept) : null);
  const refusalViolations = readViolations(refusal);
  const isRefusalExplained = refusalViolations.length > 0;
  const violations: Violation[] = isRefusalExplained ? refusalViolations : (judgement?.violations ?? []);

  // The counters and the preview may follow a moment after the text, so that typing never waits for them.
  const shownDraft = useDeferredValue(draft);
  const rooms = useMemo(() => {
    const facts = { draft: shownDraft, findRule, judgement: isCurrent && shownDraft === draft ? judgement : null };
    return new Map(channels.map((channel) => [channel.id, findRoom(channel, facts)]));
  }, [shownDraft, draft, channels, findRule, judgement, isCurrent]);

  return {
    /** Whether the draft has enough content for a check, and the person may write it. */
    isJudged,
    /** Whether the judgement is of the present draft. */
    isCurrent,
    judgement,
    /** Why there is no judgement. */
    error,
    violations,
    /** Whether violations say why the last attempt was refused. */
    isRefusalExplained,
    findViolations: (spot: string) => violations.filter((violation) => locateViolation(violation).at === spot),
    shownDraft,
    rooms,
  };
}
