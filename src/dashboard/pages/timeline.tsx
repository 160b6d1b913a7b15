// The history of one delivery: its steps with their instants, and its thread parts.
import type { ReactNode } from "react";
import type { Answer } from "../../client/client.ts";
import type { Delivery, Post } from "../types.ts";
import { Instant, State } from "../ui/marks.tsx";
import { formatNumber, formatSeconds } from "../words/counts.ts";
import { describeAttempts, describeFollowUps } from "../words/deliveries.ts";
import { labelFailure } from "../words/failures.ts";
import { nameState } from "../words/states.ts";

export type Event = Answer<"events.list">["events"][number];

/** The progress of a delivery's thread. */
export function Parts({ parts }: { parts: NonNullable<Delivery["parts"]> }) {
  return (
    <ol className="thread-parts" aria-label="Parts of the thread">
      {parts.map((threadPart) => (
        <li key={threadPart.position} className="row">
          <span>Part {threadPart.position + 1}</span>
          <State of={threadPart.status} />
          {threadPart.url !== null && (
            <a href={threadPart.url} target="_blank" rel="noreferrer">
              View<span className="visually-hidden"> there: part {threadPart.position + 1}</span>
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Every step of a delivery, in order, to the millisecond. */
export function Timeline({ post, delivery, events }: { post: Post; delivery: Delivery; events: Event[] }) {
  const { scheduled_for: due, published_at: live } = delivery;
  // A retry by the user sets a new time, so parts that were live by then were not late.
  const isAgain =
    due !== null && events.some(({ event, created_at }) => event === "delivery.failed" && created_at < due);
  const lateMs = due === null || live === null || live < due ? null : Date.parse(live) - Date.parse(due);
  const steps: { what: string; at: string; tone?: string; more?: ReactNode }[] = [
    { what: "Scheduled", at: post.created_at },
    ...(due !== null && due > post.created_at ? [{ what: isAgain ? "Sent again" : "Due", at: due }] : []),
    ...(delivery.started_at === null ? [] : [{ what: "Sending", at: delivery.started_at }]),
    ...events.flatMap((event) =>
      event.event === "delivery.succeeded"
        ? []
        : [
            {
              what: nameState(event.event.replace("delivery.", "")),
              at: event.created_at,
              tone: event.event === "delivery.failed" ? "failed" : undefined,
              more: event.error === null ? "" : labelFailure(event.error),
            },
          ],
    ),
    ...(live === null
      ? []
      : [{ what: "Live", at: live, tone: "live", more: lateMs === null ? "" : formatLateness(lateMs) }]),
    ...(delivery.checked_at === null
      ? []
      : [{ what: delivery.status === "live" ? "Verified" : "Checked", at: delivery.checked_at }]),
  ];
  steps.sort((first, second) => first.at.localeCompare(second.at));
  return (
    <>
      <ol className="timeline numbers">
        {steps.map(({ what, at, tone, more }) => (
          <li key={`${what} ${at}`} data-tone={tone}>
            <span className="what">{what}</span>
            <Instant at={at} exact />
            {more !== undefined && more !== "" && <span className="soft">{more}</span>}
          </li>
        ))}
      </ol>
      <p className="soft">
        <small>
          {delivery.next_attempt_at !== null && (
            <>
              Next try <Instant at={delivery.next_attempt_at} />.{" "}
            </>
          )}
          {[describeAttempts(delivery), ...describeFollowUps(delivery)].join(" ")}
        </small>
      </p>
    </>
  );
}

const formatLateness = (ms: number) =>
  ms < 10_000 ? `${formatNumber(ms)} ms after its time` : `${formatSeconds(Math.round(ms / 1_000))} after its time`;
