// The ways to finish: publish now, at a time, in the next slot, or save a draft.
import type { ReactNode } from "react";
import { useSession } from "../session.tsx";
import { Able, useClock } from "../ui/marks.tsx";
import { WHEN } from "./details.tsx";
import type { Ending } from "./draft.ts";

export function Actions({
  at,
  publishAt,
  sending,
  whyWait,
  onSend,
  children,
}: {
  /** The time as typed; empty means now. */
  at: string;
  /** The instant that the service computed from the typed time; null until it has answered. */
  publishAt: string | null;
  sending: Ending | null;
  /** Why nothing can be sent yet. */
  whyWait: string | null;
  onSend(ending: Ending): void;
  /** The problems that prevent sending. */
  children: ReactNode;
}) {
  const { whyNot, queued } = useSession();
  const clock = useClock();
  const asks = queued === "awaiting_approval";
  const mayPublish = queued !== null;
  const busy = sending !== null;
  const isNow = at === "";
  const words = isNow
    ? sending === "now"
      ? "Sending"
      : asks
        ? "Request approval"
        : "Post now"
    : `${asks ? "Request approval" : "Schedule"} for ${publishAt === null ? spoken(at) : clock.full(publishAt)}`;
  return (
    <div className="card actions">
      {children}
      <div className="row">
        <Able why={mayPublish ? whyWait : whyNot("publish")}>
          {(disabled) => (
            <button
              type="button"
              className="primary"
              disabled={disabled || busy}
              onClick={() => onSend(isNow ? "now" : "time")}
            >
              {words}
            </button>
          )}
        </Able>
        {isNow && (
          <button type="button" disabled={!mayPublish} onClick={() => document.getElementById(WHEN)?.focus()}>
            Schedule
          </button>
        )}
        {mayPublish && (isNow || !asks) && (
          <button type="button" disabled={busy || whyWait !== null} onClick={() => onSend(isNow ? "slot" : "now")}>
            {isNow ? "Next free slot" : "Post now"}
          </button>
        )}
        <button
          type="button"
          className="quiet"
          disabled={busy || whyNot("draft") !== null || whyWait !== null}
          onClick={() => onSend("draft")}
        >
          Save draft
        </button>
      </div>
    </div>
  );
}

/** `2026-11-24T09:30` until the service has returned the instant. */
const spoken = (localTime: string) => localTime.replace("T", ", ");
