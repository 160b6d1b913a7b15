// The bar at the bottom: the time, and the ways to finish.
import { memo, type ReactNode } from "react";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { fetchFreeSlots } from "../slots/free-slots.ts";
import { Able, useClock } from "../ui/marks.tsx";
import type { Ending } from "./draft.ts";
import { pickTime, WhenField } from "./when-field.tsx";
import "./actions.css";

const EVERY_MS = 60_000;

interface ActionsProps {
  /** The time as typed; empty means now. */
  at: string;
  /** The instant that the service computed from the typed time; null until it has answered. */
  publishAt: string | null;
  isTimeInvalid: boolean;
  /** The chosen channels. */
  channels: string[];
  /** The button that sets how the post repeats. */
  repeat: ReactNode;
  sending: Ending | null;
  /** Why nothing can be sent yet. */
  whyWait: string | null;
  onTime(at: string): void;
  onSend(ending: Ending): void;
  /** How far the post is ready. */
  children: ReactNode;
}

/** The next slot that is free on all chosen channels. */
function useNextSlot(channels: string[]): string | null {
  const ids = channels.toSorted();
  const slots = useRead(
    // Under "posts", because adding or removing a post fills or frees a slot.
    ["posts", "next slot", ids],
    (client, signal) => fetchFreeSlots(client, ids, 1, signal),
    { every: EVERY_MS, when: ids.length > 0 },
  );
  return slots.data?.[0]?.at ?? null;
}

export const Actions = memo(function Actions(props: ActionsProps) {
  const { at, publishAt, isTimeInvalid, channels, sending, whyWait, onTime, onSend, repeat, children } = props;
  const { whyNot, queued } = useSession();
  const clock = useClock();
  const asks = queued === "awaiting_approval";
  const mayPublish = queued !== null;
  const isBusy = sending !== null;
  const isNow = at === "";
  const slot = useNextSlot(mayPublish ? channels : []);
  const isStopped = isBusy || whyWait !== null;
  const primaryEnding: Ending = isNow ? "now" : "time";
  return (
    <div className="composer-bar">
      <div className="bar-state">{children}</div>
      <div className="bar-buttons">
        <button
          type="button"
          className="quiet"
          disabled={isStopped || whyNot("draft") !== null}
          aria-busy={sending === "draft"}
          onClick={() => onSend("draft")}
        >
          Save draft
        </button>
        {mayPublish && (
          <button
            type="button"
            className="quiet next-slot"
            disabled={isStopped}
            aria-busy={sending === "slot"}
            onClick={() => onSend("slot")}
          >
            <span>Next free slot</span>
            {slot !== null && <small>{clock.full(slot)}</small>}
          </button>
        )}
        {mayPublish && !asks && (
          <button type="button" disabled={isStopped} aria-busy={sending === "now"} onClick={() => onSend("now")}>
            Post now
          </button>
        )}
        <WhenField value={at} isInvalid={isTimeInvalid} onChange={onTime} />
        {mayPublish && repeat}
        <Able why={mayPublish ? whyWait : whyNot("publish")}>
          {(disabled) => (
            <button
              type="button"
              className="primary"
              disabled={disabled || isBusy}
              aria-busy={sending === "time" || (asks && sending === "now")}
              onClick={() => (isNow && !asks ? pickTime() : onSend(primaryEnding))}
            >
              {asks ? "Request approval" : "Schedule"}
              {!isNow && (
                <span className="visually-hidden">
                  {" "}
                  for {publishAt === null ? at.replace("T", ", ") : clock.full(publishAt)}
                </span>
              )}
            </button>
          )}
        </Able>
      </div>
    </div>
  );
});
