// The time of a draft in the next free slot, from a dry run.
import { useEffect } from "react";
import { Link } from "wouter";
import { buildPostBody, toDraft } from "../compose/draft.ts";
import { useJudgement } from "../compose/judge.ts";
import { useAct } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { Able, useClock } from "../ui/marks.tsx";
import { Refused, Trouble } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { count } from "../words/counts.ts";
import { describeViolation } from "../words/violations.ts";

export const nameOfDraft = ({ text, media }: Post) =>
  text.trim().replace(/\s+/g, " ").slice(0, 60) || count(media.length, "file");

export function Landing({ draft, onLanding }: { draft: Post; onLanding(landingAt: string | null): void }) {
  const { queued, whyNot } = useSession();
  const say = useSay();
  const clock = useClock();
  const { judgement, isCurrent, error } = useJudgement(buildPostBody(toDraft(draft), "slot"));
  const landingAt = isCurrent ? (judgement?.publishAt ?? null) : null;
  const schedule = useAct(
    async (client, _: null) =>
      (
        await client.call("posts.update", {
          params: { id: draft.id },
          body: { draft: false, publish_at: "next_slot" },
          rev: draft.rev,
        })
      ).body,
    ["posts"],
  );
  useEffect(() => {
    onLanding(landingAt);
    return () => onLanding(null);
  }, [landingAt, onLanding]);
  if (error !== null) return <Trouble error={error} />;
  const broken = judgement?.violations ?? [];
  const isFine = judgement !== null && judgement.refusal === null && broken.length === 0;
  return (
    <div className="stack tight">
      <p role="status">
        {!isCurrent || judgement === null
          ? "Finding a slot"
          : landingAt !== null && isFine
            ? `Goes out ${clock.friendly(landingAt)}.`
            : "Fix this to schedule it."}
      </p>
      {isCurrent && <Refused error={judgement?.refusal} />}
      {isCurrent && judgement?.refusal === null && broken.length > 0 && (
        <div className="alert" role="alert">
          <ul>
            {broken.map((violation) => (
              <li key={`${violation.code} ${violation.field} ${violation.channel}`}>
                {describeViolation(violation).text}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Refused error={schedule.error} />
      <div className="row">
        {landingAt !== null && isFine && (
          <Able why={queued === null ? whyNot("publish") : null}>
            {(disabled) => (
              <button
                type="button"
                className="primary"
                disabled={disabled || schedule.isPending}
                onClick={() =>
                  schedule.mutate(null, {
                    onSuccess: ({ publish_at: took, status }) =>
                      say(
                        status === "awaiting_approval"
                          ? "Waiting for approval"
                          : `Scheduled for ${took === null ? "now" : clock.full(took)}`,
                      ),
                  })
                }
              >
                {queued === "awaiting_approval" ? "Request approval" : `Schedule for ${clock.full(landingAt)}`}
              </button>
            )}
          </Able>
        )}
        <Link href={`/compose?post=${draft.id}`} className="button">
          Edit draft
        </Link>
      </div>
    </div>
  );
}
